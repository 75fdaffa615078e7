// Random numbers by counter: Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as
// 1, 2, 3", 2011). Leaves seeds, offsets and how rows are split among threads to the caller.
#pragma once

#include <cstdint>

namespace wend {

// In every function below the counter offset + i / 4 serves element i. So n elements use up
// philox_steps(n) counters, and a part that begins at a multiple of 4 can be made by itself.
constexpr int64_t philox_width = 4;
constexpr int64_t philox_steps(int64_t n) { return (n + philox_width - 1) / philox_width; }

// Evenly spread over [0, 1), in steps of 2^-24 and 2^-53.
void philox_uniform(uint64_t seed, uint64_t offset, float* out, int64_t n);
void philox_uniform(uint64_t seed, uint64_t offset, double* out, int64_t n);

// The normal distribution of mean 0 and variance 1.
void philox_normal(uint64_t seed, uint64_t offset, float* out, int64_t n);
void philox_normal(uint64_t seed, uint64_t offset, double* out, int64_t n);

// 1 with the given probability, else 0.
void philox_bernoulli(uint64_t seed, uint64_t offset, double probability, uint8_t* out, int64_t n);

// Integers from low up to, not including, low + range; range 0 stands for 2^64.
void philox_integers(uint64_t seed, uint64_t offset, int64_t low, uint64_t range, int64_t* out,
                     int64_t n);

}  // namespace wend
