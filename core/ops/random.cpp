// ops/random.cpp: random tensors, drawn by counter: seed and offset are attributes, fixed when the
// node is recorded, so numbers do not depend on when, where or on how many threads it runs.
#include "kernels/random.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/threads.hpp"
#include "graph/fiber.hpp"
#include "graph/read.hpp"
#include "kernels/cast.hpp"
#include "kernels/distributions.hpp"
#include "ops/families.hpp"
#include "ops/functions.hpp"

namespace wend {
namespace {

// Attributes of every op that draws; two parameters of the distribution come last.
enum { kSizes, kStrides, kDType, kSeed, kOffset, kFirst, kSecond };

constexpr int64_t kTile = 1024;
static_assert(kTile % philox_width == 0);

uint64_t seed_of(const Run& s) { return static_cast<uint64_t>(s.attr(kSeed).as_int()); }
uint64_t offset_of(const Run& s) { return static_cast<uint64_t>(s.attr(kOffset).as_int()); }

template <class T>
constexpr DType dtype_for = std::is_same_v<T, double>    ? DType::float64
                            : std::is_same_v<T, float>   ? DType::float32
                            : std::is_same_v<T, int64_t> ? DType::int64
                                                         : DType::uint8;

void infer_drawn(Infer& s) {
  s.dtype = s.attrs[kDType].as_dtype();
  s.layout = s.attrs[kStrides].is_none()
                 ? contiguous(s.attrs[kSizes].as_ints())
                 : intern(s.attrs[kSizes].as_ints(), s.attrs[kStrides].as_ints());
}

// The same, with parameters that are tensors: laid out as the result, in `dtype`.
void infer_drawn_from(Infer& s, size_t first, DType dtype) {
  infer_drawn(s);
  for (size_t i = first; i < s.in.size(); ++i)
    s.in[i] = with_layout(cast(expand(s.in[i], s.layout->sizes()), dtype), s.layout.get());
}

// Calls make(seed, offset, out, n, position) tile by tile over the output in order of memory, which
// has no gaps; what it makes is converted to the output's dtype.
template <class T, class Make>
void draw(Run& s, Make make) {
  const uint64_t seed = seed_of(s), offset = offset_of(s);
  const DType dtype = s.node.dtype;
  const int64_t element = size_of(dtype);
  parallel_for(s.node.numel(), 16 * kTile, [&](int64_t begin, int64_t end) {
    alignas(64) T tile[kTile];
    for (; begin < end; begin += kTile) {
      const int64_t n = std::min(kTile, end - begin);
      char* out = s.out() + begin * element;
      T* to = dtype == dtype_for<T> ? reinterpret_cast<T*>(out) : tile;
      make(seed, offset + begin / philox_width, to, n, begin);
      if (dtype != dtype_for<T>)
        cast_loop(dtype, dtype_for<T>)(out, element, reinterpret_cast<char*>(tile), sizeof(T), n);
    }
  });
}

// A distribution with two parameters, in double for float64 and in float for the others.
template <auto kInFloat, auto kInDouble>
void run_real(Run& s) {
  const double a = s.attr(kFirst).as_real(), b = s.attr(kSecond).as_real();
  if (s.node.dtype == DType::float64)
    return draw<double>(s, [=](uint64_t seed, uint64_t offset, double* out, int64_t n, int64_t) {
      kInDouble(seed, offset, a, b, out, n);
    });
  draw<float>(s, [=](uint64_t seed, uint64_t offset, float* out, int64_t n, int64_t) {
    kInFloat(seed, offset, static_cast<float>(a), static_cast<float>(b), out, n);
  });
}

template <class T>
void exponential(uint64_t seed, uint64_t offset, T rate, T, T* out, int64_t n) {
  draw_exponential(seed, offset, rate, out, n);
}

void run_geometric(Run& s) {
  draw<double>(
      s, [p = s.attr(kFirst).as_real()](uint64_t seed, uint64_t offset, double* out, int64_t n,
                                        int64_t) { draw_geometric(seed, offset, p, out, n); });
}

void run_bernoulli(Run& s) {
  draw<uint8_t>(
      s, [p = s.attr(kFirst).as_real()](uint64_t seed, uint64_t offset, uint8_t* out, int64_t n,
                                        int64_t) { philox_bernoulli(seed, offset, p, out, n); });
}

void run_integers(Run& s) {
  const int64_t low = s.attr(kFirst).as_int(), range = s.attr(kSecond).as_int();
  draw<int64_t>(s, [=](uint64_t seed, uint64_t offset, int64_t* out, int64_t n, int64_t) {
    philox_integers(seed, offset, low, static_cast<uint64_t>(range), out, n);
  });
}

template <class T>
std::span<const T> elements(const Node& node) {
  return {reinterpret_cast<const T*>(node.data()), static_cast<size_t>(node.numel())};
}

void infer_bernoulli_of(Infer& s) {
  infer_drawn_from(s, 1, s.in[1]->dtype == DType::float64 ? DType::float64 : DType::float32);
}

template <class T>
void bernoulli_of(Run& s) {
  const auto p = elements<T>(s.in(1));
  for (T each : p)
    if (!(each >= 0 && each <= 1))
      fail(ErrorKind::runtime,
           "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could "
           "this error message be improved?  If so, please report an enhancement request to "
           "PyTorch.)");
  draw<T>(s, [=](uint64_t seed, uint64_t offset, T* out, int64_t n, int64_t at) {
    philox_uniform(seed, offset, out, n);
    for (int64_t i = 0; i < n; ++i) out[i] = out[i] < p[at + i];
  });
}

void run_bernoulli_of(Run& s) {
  s.in(1).dtype == DType::float64 ? bernoulli_of<double>(s) : bernoulli_of<float>(s);
}

void infer_normal_of(Infer& s) {
  const DType dtype = s.attrs[kDType].as_dtype();
  infer_drawn_from(s, 0, dtype == DType::float64 ? dtype : DType::float32);
}

template <class T>
void normal_of(Run& s) {
  const auto mean = elements<T>(s.in(0)), std = elements<T>(s.in(1));
  draw<T>(s, [=](uint64_t seed, uint64_t offset, T* out, int64_t n, int64_t at) {
    philox_normal(seed, offset, out, n);
    for (int64_t i = 0; i < n; ++i) out[i] = out[i] * std[at + i] + mean[at + i];
  });
}

void run_normal_of(Run& s) {
  s.in(0).dtype == DType::float64 ? normal_of<double>(s) : normal_of<float>(s);
}

void infer_poisson(Infer& s) { infer_drawn_from(s, 0, DType::float64); }

void run_poisson(Run& s) {
  const auto rates = elements<double>(s.in(0));
  if (std::ranges::any_of(rates, [](double each) { return !(each >= 0); }))
    fail(ErrorKind::runtime, "invalid Poisson rate, expected rate to be non-negative");
  const uint64_t start = offset_of(s);
  draw<double>(s, [=](uint64_t seed, uint64_t, double* out, int64_t n, int64_t at) {
    std::copy_n(rates.data() + at, n, out);
    draw_poisson(seed, start + at * poisson_steps, out, n);
  });
}

// Fisher and Yates: position i gets one of those from i on.
void run_permutation(Run& s) {
  const int64_t n = s.node.numel();
  std::vector<int64_t> order(n);
  for (int64_t i = 0; i < n; ++i) order[i] = i;
  int64_t bits[kTile];
  for (int64_t i = 0; i < n; ++i) {
    if (i % kTile == 0)
      philox_integers(seed_of(s), offset_of(s) + i / philox_width, 0, 0, bits,
                      std::min(kTile, n - i));
    __extension__ using Wide = unsigned __int128;
    const auto step = static_cast<Wide>(static_cast<uint64_t>(bits[i % kTile])) * (n - i) >> 64;
    std::swap(order[i], order[i + static_cast<int64_t>(step)]);
  }
  const int64_t element = size_of(s.node.dtype);
  cast_loop(s.node.dtype, DType::int64)(s.out(), element, reinterpret_cast<char*>(order.data()), 8,
                                        n);
}

// The first parameter is whether a category may be drawn again.
void infer_categories(Infer& s) {
  infer_drawn(s);
  s.in[0] = cast(s.in[0], DType::float64);
  if (!s.in[0]->layout->contiguous) s.in[0] = contiguous_copy(s.in[0]);
}

void check_probabilities(std::span<const double> p) {
  double total = 0;
  for (double each : p) {
    if (!(each >= 0 && each <= std::numeric_limits<double>::max()))
      fail(ErrorKind::runtime, "probability tensor contains either `inf`, `nan` or element < 0");
    total += each;
  }
  if (!(total > 0))
    fail(ErrorKind::runtime, "invalid multinomial distribution (sum of probabilities <= 0)");
}

void draw_again(std::span<const double> p, uint64_t seed, uint64_t offset, std::span<int64_t> out) {
  std::vector<double> total(p.size());
  std::partial_sum(p.begin(), p.end(), total.begin());
  std::vector<double> u(out.size());
  philox_uniform(seed, offset, u.data(), static_cast<int64_t>(u.size()));
  // Rounding may lead beyond the last category that is possible at all.
  const auto last = std::ranges::lower_bound(total, total.back());
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = std::min(std::ranges::upper_bound(total, u[i] * total.back()), last) - total.begin();
}

// Dividing by exponential numbers makes the largest quotient fall on i with probability p[i], and
// the order of the others that of draws without replacement.
void draw_once(std::span<const double> p, uint64_t seed, uint64_t offset, std::span<int64_t> out) {
  std::vector<double> score(p.size());
  draw_exponential(seed, offset, 1.0, score.data(), static_cast<int64_t>(score.size()));
  for (size_t i = 0; i < p.size(); ++i) score[i] = p[i] / score[i];
  std::vector<int64_t> order(p.size());
  for (size_t i = 0; i < p.size(); ++i) order[i] = static_cast<int64_t>(i);
  std::partial_sort(order.begin(), order.begin() + static_cast<int64_t>(out.size()), order.end(),
                    [&](int64_t a, int64_t b) { return score[a] > score[b]; });
  std::copy_n(order.begin(), out.size(), out.begin());
}

void run_categories(Run& s) {
  const Node& in = s.in(0);
  const int64_t categories = in.size(in.ndim() - 1), samples = s.node.size(in.ndim() - 1);
  const int64_t rows = s.node.numel() / samples;
  const bool again = s.attr(kFirst).as_bool();
  const int64_t steps = philox_steps(again ? samples : categories);
  const auto p = elements<double>(in);
  for (int64_t r = 0; r < rows; ++r) check_probabilities(p.subspan(r * categories, categories));
  auto* out = reinterpret_cast<int64_t*>(s.out());
  parallel_for(rows, std::max<int64_t>(1, 4096 / std::max(categories, samples)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t r = begin; r < end; ++r)
                   (again ? draw_again : draw_once)(
                       p.subspan(r * categories, categories), seed_of(s), offset_of(s) + r * steps,
                       std::span(out + r * samples, static_cast<size_t>(samples)));
               });
}

Generator& generator(const Arg& arg) {
  return arg.kind == Arg::generator ? *arg.gen : current_generator();
}

// What is drawn: where from, how many counters it takes, and the distribution's parameters.
struct Draw {
  const char* op;
  Generator& generator;
  Arg first = {}, second = {};
  int64_t steps = -1;
};

Value drawn(const Draw& d, const Layout& layout, DType dtype, Values inputs = {}) {
  const int64_t steps = d.steps < 0 ? philox_steps(layout.numel) : d.steps;
  const auto seed = static_cast<int64_t>(d.generator.seed);
  const auto offset = static_cast<int64_t>(draw(d.generator, static_cast<uint64_t>(steps)));
  return record(op_named(d.op), inputs,
                {Arg::of(layout.sizes()), layout.contiguous ? Arg{} : Arg::of(layout.strides()),
                 Arg::of(dtype), Arg::of(seed), Arg::of(offset), d.first, d.second});
}

// In place: the numbers that `self` is to have; it is an edge only, for a gradient of zero.
Value drawn_over(const Draw& d, const Value& self) {
  return drawn(d, *dense_like(*self->layout), self->dtype, {self});
}

LayoutRef rows(const Arg& sizes) {
  check_sizes(sizes.as_ints());
  return contiguous(sizes.as_ints());
}

// The type's name in C++, as PyTorch's messages about ranges have it.
// In these messages int64_t goes by another name.
const char* bounds_name(DType t) { return t == DType::int64 ? "long" : cpp_name(t); }

void check_uniform(double from, double to, DType dtype) {
  if (!is_floating(dtype)) not_for("check_uniform_bounds", dtype);
  const double most = largest_real(dtype);
  if (!(std::abs(from) <= most))
    fail(ErrorKind::runtime, "from is out of bounds for ", bounds_name(dtype));
  if (!(std::abs(to) <= most))
    fail(ErrorKind::runtime, "to is out of bounds for ", bounds_name(dtype));
  if (from > to)
    fail(ErrorKind::runtime, "uniform_ expects to return a [from, to) range, but found from=", from,
         " > to=", to);
}

void check_normal(double std, DType dtype) {
  if (!(std >= 0)) fail(ErrorKind::runtime, "normal expects std >= 0.0, but found std ", std);
  if (!is_floating(dtype)) not_for("normal_kernel_cpu", dtype);
}

Draw uniform(const Arg& gen, DType dtype, double from = 0, double to = 1) {
  check_uniform(from, to, dtype);
  return {"draw_uniform", generator(gen), Arg::of(from), Arg::of(to)};
}

Draw normal(const Arg& gen, DType dtype, double mean = 0, double std = 1) {
  check_normal(std, dtype);
  return {"draw_normal", generator(gen), Arg::of(mean), Arg::of(std)};
}

// The integers that a dtype holds, floats as far as they hold all of them.
std::pair<double, double> integers_of(DType t) {
  if (t == DType::bool_) return {0, 1};
  if (is_floating(t)) return {-largest_real(t), largest_real(t)};
  const double high = std::ldexp(1.0, static_cast<int>(size_of(t)) * 8 - is_signed(t)) - 1;
  return {is_signed(t) ? -high - 1 : 0, high};
}

// Integers from `from` up to, not including, `to`.
Draw integers(const Arg& gen, DType dtype, int64_t from, int64_t to) {
  if (from >= to)
    fail(ErrorKind::runtime, "random_ expects 'from' to be less than 'to', but got from=", from,
         " >= to=", to);
  const auto [low, high] = integers_of(dtype);
  if (static_cast<double>(from) < low || static_cast<double>(from) > high)
    fail(ErrorKind::runtime, "from is out of bounds for ", bounds_name(dtype));
  if (static_cast<double>(to - 1) < low || static_cast<double>(to - 1) > high)
    fail(ErrorKind::runtime, "to - 1 is out of bounds for ", bounds_name(dtype));
  return {"draw_integers", generator(gen), Arg::of(from),
          Arg::of(static_cast<int64_t>(static_cast<uint64_t>(to) - static_cast<uint64_t>(from)))};
}

// Integers from `from` to the largest that is meant for the dtype, which is included.
Draw integers_from(const Arg& gen, DType dtype, int64_t from) {
  static constexpr int digits[] = {11, 8, 24, 53};
  const int64_t last =
      is_floating(dtype)
          ? int64_t{1} << digits[static_cast<int>(dtype) - static_cast<int>(DType::float16)]
      : dtype == DType::int64 ? std::numeric_limits<int64_t>::max()
                              : static_cast<int64_t>(integers_of(dtype).second);
  return {
      "draw_integers", generator(gen), Arg::of(from),
      Arg::of(static_cast<int64_t>(static_cast<uint64_t>(last) - static_cast<uint64_t>(from) + 1))};
}

Draw bernoulli(const Arg& gen, double p) {
  if (!(p >= 0 && p <= 1))
    fail(ErrorKind::runtime, "bernoulli_ expects p to be in [0, 1], but got p=", p);
  return {"draw_bernoulli", generator(gen), Arg::of(p)};
}

Values body_rand(Call& c) {
  const DType dtype = c[2].as_dtype(default_dtype());
  const LayoutRef layout = rows(c[0]);
  return {drawn(uniform(c[1], dtype), *layout, dtype)};
}
Values body_randn(Call& c) {
  const DType dtype = c[2].as_dtype(default_dtype());
  const LayoutRef layout = rows(c[0]);
  return {drawn(normal(c[1], dtype), *layout, dtype)};
}
Values body_rand_like(Call& c) {
  const DType dtype = c[2].as_dtype(c.tensor(0)->dtype);
  return {drawn(uniform(c[1], dtype), *in_format(*c.tensor(0)->layout, c[7]), dtype)};
}
Values body_randn_like(Call& c) {
  const DType dtype = c[2].as_dtype(c.tensor(0)->dtype);
  return {drawn(normal(c[1], dtype), *in_format(*c.tensor(0)->layout, c[7]), dtype)};
}

Values body_randint(Call& c) {
  const DType dtype = c[3].as_dtype(DType::int64);
  const LayoutRef layout = rows(c[1]);
  return {drawn(integers(c[2], dtype, 0, c[0].as_int()), *layout, dtype)};
}
Values body_randint_from(Call& c) {
  const DType dtype = c[4].as_dtype(DType::int64);
  const LayoutRef layout = rows(c[2]);
  return {drawn(integers(c[3], dtype, c[0].as_int(), c[1].as_int()), *layout, dtype)};
}
Values body_randint_like(Call& c) {
  const DType dtype = c[3].as_dtype(c.tensor(0)->dtype);
  return {drawn(integers(c[2], dtype, 0, c[1].as_int()), *in_format(*c.tensor(0)->layout, c[8]),
                dtype)};
}
Values body_randint_like_from(Call& c) {
  const DType dtype = c[4].as_dtype(c.tensor(0)->dtype);
  return {drawn(integers(c[3], dtype, c[1].as_int(), c[2].as_int()),
                *in_format(*c.tensor(0)->layout, c[9]), dtype)};
}

Values body_randperm(Call& c) {
  const int64_t n = c[0].as_int();
  const DType dtype = c[2].as_dtype(DType::int64);
  const LayoutRef layout = rows(Arg::of(std::span(&n, 1)));
  if (dtype == DType::bool_) not_for("randperm", dtype);
  check_fits(*number(n), dtype);
  if (dtype == DType::float16 && n > 2049)
    fail(ErrorKind::runtime, "n cannot be greater than 2049 for Half type.");
  return {drawn({"draw_permutation", generator(c[1])}, *layout, dtype)};
}

Values body_normal_numbers(Call& c) {
  const DType dtype = c[4].as_dtype(default_dtype());
  const LayoutRef layout = rows(c[2]);
  return {drawn(normal(c[3], dtype, c[0].as_real(), c[1].as_real()), *layout, dtype)};
}

// Looks at the values, even where broadcasting leaves none of them.
void check_deviations(const Value& std) {
  if (std->numel() == 0) return;
  const Value negative = amax(lt(std, 0), Dims{}, false);
  evaluate(negative);
  if (int_of(*negative)) fail(ErrorKind::runtime, "normal expects all elements of std >= 0.0");
}

Value normal_of(const char* op, const Value& mean, const Value& std, DType dtype, const Arg& gen) {
  if (!is_floating(dtype)) not_for("normal_kernel_cpu", dtype);
  check_deviations(std);
  const Value both[] = {mean, std};
  return drawn({op, generator(gen)}, *contiguous(broadcast_sizes(both)), dtype, {mean, std});
}
Values body_normal_tensors(Call& c) {
  return {normal_of("draw_normal_of", c.tensor(0), c.tensor(1), c.tensor(0)->dtype, c[2])};
}
Values body_normal_mean(Call& c) {
  const Value mean = c.tensor(0);
  check_normal(c[1].as_real(), mean->dtype);
  return {normal_of("draw_normal_of_mean", mean, c[1].as_real(), mean->dtype, c[2])};
}
Values body_normal_std(Call& c) {
  return {normal_of("draw_normal_of_std", c[0].as_real(), c.tensor(1), c.tensor(1)->dtype, c[2])};
}

Values body_bernoulli(Call& c) {
  const Value p = c.tensor(0);
  if (!is_floating(p->dtype)) not_for("bernoulli_tensor_cpu_p_", p->dtype);
  return {drawn({"draw_bernoulli_of", generator(c[1])}, *dense_like(*p->layout), p->dtype, {p, p})};
}
Values body_bernoulli_p(Call& c) {
  const Value like = c.tensor(0);
  return {drawn(bernoulli(c[2], c[1].as_real()), *dense_like(*like->layout), like->dtype)};
}
Values body_bernoulli_over(Call& c) {
  return {drawn_over(bernoulli(c[2], c[1].as_real()), c.tensor(0))};
}
Values body_bernoulli_over_of(Call& c) {
  const Value self = c.tensor(0);
  return {drawn({"draw_bernoulli_over", generator(c[2])}, *dense_like(*self->layout), self->dtype,
                {self, c.tensor(1)})};
}

Values body_uniform(Call& c) {
  const Value self = c.tensor(0);
  return {drawn_over(uniform(c[3], self->dtype, c[1].as_real(), c[2].as_real()), self)};
}
Values body_normal(Call& c) {
  const Value self = c.tensor(0);
  return {drawn_over(normal(c[3], self->dtype, c[1].as_real(), c[2].as_real()), self)};
}
Values body_log_normal(Call& c) {
  const Value self = c.tensor(0);
  if (!(c[2].as_real() > 0))
    fail(ErrorKind::runtime, "log_normal_ expects std > 0.0, but found std=", c[2].as_real());
  if (!is_floating(self->dtype)) not_for("log_normal_cpu", self->dtype);
  return {drawn_over({"draw_log_normal", generator(c[3]), c[1], c[2]}, self)};
}
Values body_cauchy(Call& c) {
  const Value self = c.tensor(0);
  if (!(c[2].as_real() > 0))
    fail(ErrorKind::runtime, "cauchy_ expects sigma > 0.0, but found sigma=", c[2].as_real());
  if (!is_floating(self->dtype))
    fail(ErrorKind::runtime,
         "Cauchy distribution is a continuous probability distribution. dtype must be a floating "
         "point but you specified ",
         cpp_name(self->dtype));
  return {drawn_over({"draw_cauchy", generator(c[3]), c[1], c[2]}, self)};
}
Values body_exponential(Call& c) {
  const Value self = c.tensor(0);
  if (!is_floating(self->dtype) && self->numel() > 0)
    fail(ErrorKind::runtime,
         "Exponential distribution is a continuous probability distribution. dtype must be a "
         "floating "
         "point but you specified ",
         scalar_type_name(self->dtype));
  if (!(c[1].as_real() > 0))
    fail(ErrorKind::runtime,
         "exponential_ expects lambda > 0.0, but found lambda=", c[1].as_real());
  return {drawn_over({"draw_exponential", generator(c[2]), c[1], Arg::of(0.0)}, self)};
}
Values body_geometric(Call& c) {
  const Value self = c.tensor(0);
  if (!(c[1].as_real() > 0 && c[1].as_real() < 1))
    fail(ErrorKind::runtime, "geometric_ expects p to be in (0, 1), but got p=", c[1].as_real());
  if (self->dtype == DType::bool_) not_for("geometric_cpu", self->dtype);
  return {drawn_over({"draw_geometric", generator(c[2]), c[1]}, self)};
}
Values body_random(Call& c) {
  return {drawn_over(integers_from(c[1], c.tensor(0)->dtype, 0), c.tensor(0))};
}
Values body_random_to(Call& c) {
  return {drawn_over(integers(c[2], c.tensor(0)->dtype, 0, c[1].as_int()), c.tensor(0))};
}
Values body_random_from(Call& c) {
  const Value self = c.tensor(0);
  if (c[2].is_none()) return {drawn_over(integers_from(c[3], self->dtype, c[1].as_int()), self)};
  return {drawn_over(integers(c[3], self->dtype, c[1].as_int(), c[2].as_int()), self)};
}

Values body_poisson(Call& c) {
  const Value rates = c.tensor(0);
  if (!is_floating(rates->dtype)) not_for("poisson_cpu", rates->dtype);
  return {drawn({"draw_poisson", generator(c[1]), {}, {}, rates->numel() * poisson_steps},
                *dense_like(*rates->layout), rates->dtype, {rates})};
}

Values body_multinomial(Call& c) {
  const Value p = c.tensor(0);
  const int64_t samples = c[1].as_int();
  if (p->ndim() != 1 && p->ndim() != 2) fail(ErrorKind::runtime, "prob_dist must be 1 or 2 dim");
  if (!is_floating(p->dtype))
    fail(ErrorKind::runtime, "multinomial only supports floating-point dtypes for input, got: ",
         scalar_type_name(p->dtype));
  if (samples <= 0) fail(ErrorKind::runtime, "cannot sample n_sample <= 0 samples");
  const int64_t categories = p->size(p->ndim() - 1);
  if (categories > 1 << 24) fail(ErrorKind::runtime, "number of categories cannot exceed 2^24");
  if (!c[2].as_bool() && samples > categories)
    fail(ErrorKind::runtime,
         "cannot sample n_sample > prob_dist.size(-1) samples without replacement");
  Dims sizes(p->sizes());
  sizes[sizes.n - 1] = samples;
  const int64_t rows = p->ndim() == 2 ? p->size(0) : 1;
  return {drawn({"draw_categories",
                 generator(c[3]),
                 c[2],
                 {},
                 rows * philox_steps(c[2].as_bool() ? samples : categories)},
                *contiguous(sizes), DType::int64, {p})};
}

#define GENERATOR "Generator? generator=None"

// An op that draws over `self`, which gets a gradient of zero.
#define DRAW(name_, kernel_, grad_name_) \
  {.name = name_,                        \
   .infer = infer_drawn,                 \
   .kernel = kernel_,                    \
   .grad = {GRAD(zeros_like(g))},        \
   .grad_name = grad_name_,              \
   .edges = 1,                           \
   .cost = 3,                            \
   .hidden = true}

#define IN_PLACE(name_, parameters, doc_, example_, body_)                  \
  {.name = name_,                                                           \
   .signature = "(Tensor input, " parameters "*, " GENERATOR ") -> Tensor", \
   .doc = doc_,                                                             \
   .example = example_,                                                     \
   .body = body_,                                                           \
   .function = false,                                                       \
   .method = false,                                                         \
   .inplace = true}

constexpr Op kOps[] = {
    DRAW("draw_uniform", (run_real<draw_uniform<float>, draw_uniform<double>>), "UniformBackward0"),
    DRAW("draw_normal", (run_real<draw_normal<float>, draw_normal<double>>), "NormalBackward0"),
    DRAW("draw_log_normal", (run_real<draw_log_normal<float>, draw_log_normal<double>>),
         "LogNormalBackward0"),
    DRAW("draw_cauchy", (run_real<draw_cauchy<float>, draw_cauchy<double>>), "CauchyBackward0"),
    DRAW("draw_exponential", (run_real<exponential<float>, exponential<double>>),
         "ExponentialBackward0"),
    DRAW("draw_geometric", run_geometric, "GeometricBackward0"),
    DRAW("draw_bernoulli", run_bernoulli, "BernoulliBackward2"),
    DRAW("draw_integers", run_integers, "RandomBackward0"),
    DRAW("draw_permutation", run_permutation, nullptr),
    {.name = "draw_bernoulli_of",
     .infer = infer_bernoulli_of,
     .kernel = run_bernoulli_of,
     .grad = {GRAD(zeros_like(g)), GRAD(zeros_like(g))},
     .grad_name = "BernoulliBackward0",
     .at_once = true,
     .edges = 1,
     .cost = 3,
     .hidden = true},
    {.name = "draw_bernoulli_over",
     .infer = infer_bernoulli_of,
     .kernel = run_bernoulli_of,
     .grad = {GRAD(zeros_like(g)), GRAD(zeros_like(g))},
     .grad_name = "BernoulliBackward1",
     .at_once = true,
     .edges = 1,
     .cost = 3,
     .hidden = true},
    {.name = "draw_normal_of",
     .infer = infer_normal_of,
     .kernel = run_normal_of,
     .grad = {GRAD(zeros_like(g)), GRAD(zeros_like(g))},
     .grad_name = "NormalBackward3",
     .cost = 4,
     .hidden = true},
    {.name = "draw_normal_of_mean",
     .infer = infer_normal_of,
     .kernel = run_normal_of,
     .grad = {GRAD(zeros_like(g)), GRAD(zeros_like(g))},
     .grad_name = "NormalBackward1",
     .cost = 4,
     .hidden = true},
    {.name = "draw_normal_of_std",
     .infer = infer_normal_of,
     .kernel = run_normal_of,
     .grad = {GRAD(zeros_like(g)), GRAD(zeros_like(g))},
     .grad_name = "NormalBackward2",
     .cost = 4,
     .hidden = true},
    {.name = "draw_poisson",
     .infer = infer_poisson,
     .kernel = run_poisson,
     .grad = {GRAD(zeros_like(g))},
     .grad_name = "PoissonBackward0",
     .at_once = true,
     .cost = 100,
     .hidden = true},
    {.name = "draw_categories",
     .infer = infer_categories,
     .kernel = run_categories,
     .differentiable = false,
     .at_once = true,
     .cost = 50,
     .hidden = true},
    {.name = "rand",
     .signature = "(int[] size, *, " GENERATOR ", " CREATION_OPTIONS ") -> Tensor",
     .doc = "Numbers spread evenly over [0, 1).",
     .example = "rand(2, 3).shape",
     .body = body_rand,
     .method = false},
    {.name = "randn",
     .signature = "(int[] size, *, " GENERATOR ", " CREATION_OPTIONS ") -> Tensor",
     .doc = "Numbers of the normal distribution with mean 0 and variance 1.",
     .example = "randn(2, 3).shape",
     .body = body_randn,
     .method = false},
    {.name = "rand_like",
     .signature = "(Tensor input, *, " GENERATOR ", " LIKE_OPTIONS ") -> Tensor",
     .doc = "Numbers spread evenly over [0, 1), with the sizes and dtype of input.",
     .example = "rand_like(zeros(2, 3)).shape",
     .body = body_rand_like,
     .method = false,
     .out = false},
    {.name = "randn_like",
     .signature = "(Tensor input, *, " GENERATOR ", " LIKE_OPTIONS ") -> Tensor",
     .doc = "Normally distributed numbers, with the sizes and dtype of input.",
     .example = "randn_like(zeros(2, 3)).shape",
     .body = body_randn_like,
     .method = false,
     .out = false},
    {.name = "randint",
     .signature = "(int high, int[] size, *, " GENERATOR ", " CREATION_OPTIONS ") -> Tensor",
     .doc = "Integers from low (0) up to, not including, high.",
     .example = "randint(1, 7, (2, 3)).dtype",
     .body = body_randint,
     .method = false},
    {.name = "randint",
     .signature =
         "(int low, int high, int[] size, *, " GENERATOR ", " CREATION_OPTIONS ") -> Tensor",
     .body = body_randint_from,
     .method = false},
    {.name = "randint_like",
     .signature = "(Tensor input, int high, *, " GENERATOR ", " LIKE_OPTIONS ") -> Tensor",
     .doc = "Integers from low (0) up to, not including, high, with the sizes and dtype of input.",
     .example = "randint_like(zeros(2, 3), 7).shape",
     .body = body_randint_like,
     .method = false,
     .out = false},
    {.name = "randint_like",
     .signature = "(Tensor input, int low, int high, *, " GENERATOR ", " LIKE_OPTIONS ") -> Tensor",
     .body = body_randint_like_from,
     .method = false,
     .out = false},
    {.name = "randperm",
     .signature = "(int n, *, " GENERATOR ", " CREATION_OPTIONS ") -> Tensor",
     .doc = "The integers below n in random order.",
     .example = "randperm(5).sum()",
     .body = body_randperm,
     .method = false},
    {.name = "normal",
     .signature = "(Tensor mean, Tensor std, *, " GENERATOR ") -> Tensor",
     .doc = "Normally distributed numbers, each with its own mean and standard deviation.",
     .example = "normal(zeros(2), 1.0).shape",
     .body = body_normal_tensors,
     .method = false},
    {.name = "normal",
     .signature = "(Tensor mean, float std=1.0, *, " GENERATOR ") -> Tensor",
     .body = body_normal_mean,
     .method = false},
    {.name = "normal",
     .signature = "(float mean, Tensor std, *, " GENERATOR ") -> Tensor",
     .body = body_normal_std,
     .method = false},
    {.name = "normal",
     .signature =
         "(float mean, float std, int[] size, *, " GENERATOR ", " CREATION_OPTIONS ") -> Tensor",
     .body = body_normal_numbers,
     .method = false},
    {.name = "bernoulli",
     .signature = "(Tensor input, *, " GENERATOR ") -> Tensor",
     .doc = "1 with the probability that the element of input says, else 0.",
     .example = "bernoulli(ones(2))",
     .body = body_bernoulli},
    {.name = "bernoulli",
     .signature = "(Tensor input, float p, *, " GENERATOR ") -> Tensor",
     .body = body_bernoulli_p,
     .out = false},
    IN_PLACE("bernoulli", "float p=0.5, ", "1 with probability p, else 0.",
             "zeros(2).bernoulli_(1.0)", body_bernoulli_over),
    IN_PLACE("bernoulli", "Tensor p, ", "", "", body_bernoulli_over_of),
    IN_PLACE("uniform", "float from=0.0, float to=1.0, ", "Numbers spread evenly over [from, to).",
             "zeros(2).uniform_(1, 2).shape", body_uniform),
    IN_PLACE("normal", "float mean=0.0, float std=1.0, ", "Normally distributed numbers.",
             "zeros(2).normal_().shape", body_normal),
    IN_PLACE("log_normal", "float mean=1.0, float std=2.0, ",
             "Numbers whose logarithm is normally distributed.", "zeros(2).log_normal_().shape",
             body_log_normal),
    IN_PLACE("cauchy", "float median=0.0, float sigma=1.0, ", "Numbers of the Cauchy distribution.",
             "zeros(2).cauchy_().shape", body_cauchy),
    IN_PLACE("exponential", "float lambd=1.0, ", "Exponentially distributed numbers.",
             "zeros(2).exponential_().shape", body_exponential),
    IN_PLACE("geometric", "float p, ", "Trials up to the first success of probability p.",
             "zeros(2).geometric_(0.5).shape", body_geometric),
    IN_PLACE("random", "", "Integers over the range of the dtype, or from one up to another.",
             "zeros(2).random_(1).sum()", body_random),
    IN_PLACE("random", "int to, ", "", "", body_random_to),
    IN_PLACE("random", "int from, int? to, ", "", "", body_random_from),
    {.name = "poisson",
     .signature = "(Tensor input, " GENERATOR ") -> Tensor",
     .doc = "Numbers of events, the elements of input being the rates.",
     .example = "poisson(zeros(2))",
     .body = body_poisson,
     .method = false},
    {.name = "multinomial",
     .signature =
         "(Tensor input, int num_samples, bool replacement=False, *, " GENERATOR ") -> Tensor",
     .doc = "Indices drawn with the probabilities that are proportional to each row of input.",
     .example = "multinomial(tensor([0., 1.]), 1)",
     .body = body_multinomial,
     .out_exact = true},
};

}  // namespace

std::span<const Op> random_ops() { return kOps; }

Value bernoulli_like(const Value& like, double probability) {
  return drawn(bernoulli({}, probability), *dense_like(*like->layout), like->dtype);
}

}  // namespace wend
