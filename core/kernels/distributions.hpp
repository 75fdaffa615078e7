// Distributions with parameters, over the numbers of random.hpp: shifted, scaled, bent.
// Leaves the generator to random.hpp, and which parameters are allowed to the ops.
#pragma once

#include <cstdint>

namespace wend {

// Element i is made of counter offset + i / 4, as in random.hpp. T is float or double.
template <class T>
void draw_uniform(uint64_t seed, uint64_t offset, T from, T to, T* out, int64_t n);
template <class T>
void draw_normal(uint64_t seed, uint64_t offset, T mean, T std, T* out, int64_t n);
// Never 0, so that it may divide.
template <class T>
void draw_exponential(uint64_t seed, uint64_t offset, T rate, T* out, int64_t n);
template <class T>
void draw_cauchy(uint64_t seed, uint64_t offset, T median, T sigma, T* out, int64_t n);
template <class T>
void draw_log_normal(uint64_t seed, uint64_t offset, T mean, T std, T* out, int64_t n);
// The number of trials up to the first success, for probabilities within (0, 1).
void draw_geometric(uint64_t seed, uint64_t offset, double probability, double* out, int64_t n);

// Counters that one element of draw_poisson may use; element i begins at offset + i * this.
constexpr int64_t poisson_steps = 64;
// rates[i] becomes a number of events.
void draw_poisson(uint64_t seed, uint64_t offset, double* rates, int64_t n);

}  // namespace wend
