// The Philox generator and the distributions drawn from it.
// Compiled for the base level alone and without fused multiply-add: the same numbers everywhere.
#define WEND_NO_FMA

#include "kernels/random.hpp"

#include "kernels/level/math.inl"

namespace wend {
namespace {

// Up to so many counters are worked on side by side, so that loops vectorise.
constexpr int64_t lanes = 64;

// Four numbers for each counter; those of one counter are a row apart.
template <class T>
struct Tile {
  T at[philox_width][lanes];
};

// The generator: `count` counters become four words each. `stream` tells apart the draws that one
// counter may serve.
void philox(uint64_t seed, uint64_t counter, uint32_t stream, int64_t count, Tile<uint32_t>& x) {
  auto& [w0, w1, w2, w3] = x.at;
  for (int64_t i = 0; i < count; ++i) {
    w0[i] = static_cast<uint32_t>(counter + i);
    w1[i] = static_cast<uint32_t>((counter + i) >> 32);
    w2[i] = stream;
    w3[i] = 0;
  }
  uint32_t key0 = static_cast<uint32_t>(seed), key1 = static_cast<uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round, key0 += 0x9E3779B9, key1 += 0xBB67AE85) {
    for (int64_t i = 0; i < count; ++i) {
      const uint64_t product0 = uint64_t{0xD2511F53} * w0[i];
      const uint64_t product1 = uint64_t{0xCD9E8D57} * w2[i];
      w0[i] = static_cast<uint32_t>(product1 >> 32) ^ w1[i] ^ key0;
      w1[i] = static_cast<uint32_t>(product1);
      w2[i] = static_cast<uint32_t>(product0 >> 32) ^ w3[i] ^ key1;
      w3[i] = static_cast<uint32_t>(product0);
    }
  }
}

// The same with 64 bits for each of the four.
void philox(uint64_t seed, uint64_t counter, int64_t count, Tile<uint64_t>& bits) {
  Tile<uint32_t> x;
  for (int half = 0; half < 2; ++half) {
    philox(seed, counter, half, count, x);
    for (int64_t i = 0; i < count; ++i) {
      bits.at[2 * half][i] = uint64_t{x.at[0][i]} << 32 | x.at[1][i];
      bits.at[2 * half + 1][i] = uint64_t{x.at[2][i]} << 32 | x.at[3][i];
    }
  }
}

void uniform(uint64_t seed, uint64_t counter, int64_t count, Tile<float>& u) {
  Tile<uint32_t> x;
  philox(seed, counter, 0, count, x);
  for (int64_t j = 0; j < philox_width; ++j)
    for (int64_t i = 0; i < count; ++i)
      u.at[j][i] = static_cast<float>(static_cast<int32_t>(x.at[j][i] >> 8)) * 0x1p-24f;
}
void uniform(uint64_t seed, uint64_t counter, int64_t count, Tile<double>& u) {
  Tile<uint64_t> x;
  philox(seed, counter, count, x);
  // Two parts become doubles by way of their bits, because no old CPU converts 64-bit integers.
  for (int64_t j = 0; j < philox_width; ++j)
    for (int64_t i = 0; i < count; ++i) {
      const double high = from_bits((x.at[j][i] >> 32) | bits_of(0x1p52)) - 0x1p52;
      const double low = from_bits((x.at[j][i] >> 11 & 0x1fffff) | bits_of(0x1p52)) - 0x1p52;
      u.at[j][i] = high * 0x1p-32 + low * 0x1p-53;
    }
}

// sin(2 pi x) for |x| < 2. Of whole and half turns, which are exact, only the sign is left.
template <class T>
inline T sin_of_turns(T x) {
  const T shifted = 2 * x + Real<T>::round;
  const T rest = x - T(0.5) * (shifted - Real<T>::round);
  return flip_sign(sin_within_half_pi(T(0x1.921fb54442d18p2) * rest), bits_of(shifted));
}

// Box and Muller: two uniform numbers become two normal ones in their place.
template <class T>
void make_normal(T* u, T* v, int64_t count) {
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) {
    const T radius = m_sqrt(T(-2) * log_of_ordinary(1 - u[i])), turns = v[i];
    u[i] = radius * sin_of_turns(turns + T(0.25));
    v[i] = radius * sin_of_turns(turns);
  }
}

// Calls make(counter, count, tile) as often as n elements need and puts the numbers in order.
template <class T, class Make>
void by_tiles(uint64_t offset, T* out, int64_t n, Make make) {
  Tile<T> tile;
  for (; n > 0; n -= lanes * philox_width, offset += lanes) {
    const int64_t count = n < lanes * philox_width ? philox_steps(n) : lanes;
    make(offset, count, tile);
    const int64_t whole = n < lanes * philox_width ? n / philox_width : lanes;
    for (int64_t i = 0; i < whole; ++i)
      for (int64_t j = 0; j < philox_width; ++j) *out++ = tile.at[j][i];
    for (int64_t j = 0; whole < count && j < n % philox_width; ++j) *out++ = tile.at[j][whole];
  }
}

template <class T>
void fill_uniform(uint64_t seed, uint64_t offset, T* out, int64_t n) {
  by_tiles(offset, out, n, [=](uint64_t counter, int64_t count, Tile<T>& tile) {
    uniform(seed, counter, count, tile);
  });
}

template <class T>
void fill_normal(uint64_t seed, uint64_t offset, T* out, int64_t n) {
  by_tiles(offset, out, n, [=](uint64_t counter, int64_t count, Tile<T>& tile) {
    uniform(seed, counter, count, tile);
    make_normal(tile.at[0], tile.at[1], count);
    make_normal(tile.at[2], tile.at[3], count);
  });
}

}  // namespace

void philox_uniform(uint64_t seed, uint64_t offset, float* out, int64_t n) {
  fill_uniform(seed, offset, out, n);
}
void philox_uniform(uint64_t seed, uint64_t offset, double* out, int64_t n) {
  fill_uniform(seed, offset, out, n);
}
void philox_normal(uint64_t seed, uint64_t offset, float* out, int64_t n) {
  fill_normal(seed, offset, out, n);
}
void philox_normal(uint64_t seed, uint64_t offset, double* out, int64_t n) {
  fill_normal(seed, offset, out, n);
}

void philox_bernoulli(uint64_t seed, uint64_t offset, double probability, uint8_t* out, int64_t n) {
  // The top 31 bits of a word are below this with the given probability, to one part in 2^31.
  const int64_t limit = static_cast<int64_t>(probability * 0x1p31 + 0.5);
  const bool always = limit > INT32_MAX;
  const int32_t below = always ? INT32_MAX : static_cast<int32_t>(limit);
  by_tiles(offset, out, n, [=](uint64_t counter, int64_t count, Tile<uint8_t>& tile) {
    Tile<uint32_t> x;
    philox(seed, counter, 0, count, x);
    for (int64_t j = 0; j < philox_width; ++j)
      for (int64_t i = 0; i < count; ++i)
        tile.at[j][i] = (static_cast<int32_t>(x.at[j][i] >> 1) < below) | always;
  });
}

void philox_integers(uint64_t seed, uint64_t offset, int64_t low, uint64_t range, int64_t* out,
                     int64_t n) {
  by_tiles(offset, out, n, [=](uint64_t counter, int64_t count, Tile<int64_t>& tile) {
    Tile<uint64_t> x;
    philox(seed, counter, count, x);
    for (int64_t j = 0; j < philox_width; ++j)
      for (int64_t i = 0; i < count; ++i) {
        __extension__ const uint64_t scaled =
            static_cast<uint64_t>(static_cast<unsigned __int128>(x.at[j][i]) * range >> 64);
        tile.at[j][i] = static_cast<int64_t>(low + (range ? scaled : x.at[j][i]));
      }
  });
}

}  // namespace wend
