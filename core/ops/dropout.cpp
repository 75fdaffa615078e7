// ops/dropout.cpp: dropout by counter. The mask is never kept: the way back draws it again from the
// seed and offset that the node took when it was recorded. Other kinds of dropout are made of this.
#include <algorithm>
#include <bit>
#include <cmath>

#include "base/threads.hpp"
#include "graph/fiber.hpp"
#include "kernels/cast.hpp"
#include "kernels/elementwise.hpp"
#include "kernels/random.hpp"
#include "ops/batching.hpp"
#include "ops/families.hpp"
#include "ops/functions.hpp"

namespace wend {
namespace {

constexpr int64_t kTile = 1024;

// Elements are counted in the order of memory, so the input has to be without gaps.
void infer_dropout(Infer& s) {
  s.layout = dense_like(*s.in[0]->layout);
  s.in[0] = with_layout(s.in[0], s.layout.get());
  s.dtype = s.in[0]->dtype;
}

// out = in times 0 or `scale`, for elements from `begin`, which lies a multiple of the generator's
// width behind the element that `offset` belongs to.
template <class T>
void drop(const Run& s, uint64_t offset, int64_t first, int64_t begin, int64_t end) {
  const DType dtype = s.node.dtype, compute = sizeof(T) == 4 ? DType::float32 : DType::float64;
  const double keep = 1 - s.attr(0).as_real();
  const auto seed = static_cast<uint64_t>(s.attr(1).as_int());
  const T scales[2] = {0, keep > 0 ? static_cast<T>(1 / keep) : T(0)};
  const int64_t size = size_of(dtype);
  uint8_t kept[kTile];
  T tile[kTile];
  for (; begin < end; begin += kTile) {
    const int64_t n = std::min(kTile, end - begin);
    char* const raw = reinterpret_cast<char*>(tile);
    philox_bernoulli(seed, offset + (begin - first) / philox_width, keep, kept, n);
    cast_loop(compute, dtype)(raw, sizeof(T), s.in(0).data() + begin * size, size, n);
    for (int64_t i = 0; i < n; ++i) tile[i] *= scales[kept[i]];
    cast_loop(dtype, compute)(s.out() + begin * size, size, raw, sizeof(T), n);
  }
}

template <class T>
void run_dropout_as(const Run& s) {
  const Arg& offsets = s.attr(2);
  if (offsets.kind == Arg::ints) {  // one for each member of a batch, or of several
    const auto members = static_cast<int64_t>(offsets.as_ints().size());
    const int64_t length = s.node.numel() / members;
    return parallel_for(members, 1 + 16 * kTile / length, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        drop<T>(s, static_cast<uint64_t>(offsets.as_ints()[i]), i * length, i * length,
                (i + 1) * length);
    });
  }
  parallel_for(s.node.numel(), 16 * kTile, [&](int64_t begin, int64_t end) {
    drop<T>(s, static_cast<uint64_t>(offsets.as_int()), 0, begin, end);
  });
}

void run_dropout(Run& s) {
  s.node.dtype == DType::float64 ? run_dropout_as<double>(s) : run_dropout_as<float>(s);
}

// Members draw by their own offsets; the gradients of batches are members as well.
Value lift_dropped(const Lift& s) {
  std::vector<int64_t> offsets;
  for (const Node* m : s.members) {
    const Arg& own = m->attr(2);
    if (own.kind != s.like.attr(2).kind || own.n != s.like.attr(2).n) return nullptr;
    if (own.kind == Arg::ints)
      offsets.insert(offsets.end(), own.as_ints().begin(), own.as_ints().end());
    else
      offsets.push_back(own.as_int());
  }
  Value in[] = {contiguous_copy(with_members(s, 0))};
  const Arg attrs[] = {s.like.attr(0), s.like.attr(1), Arg::of(std::span<const int64_t>(offsets))};
  return record(*s.like.op, in, attrs);
}

Value drop_again(const GradCall& s) {
  const Node& node = s.node();
  return record(*node.op, {with_layout(s.g, node.layout)},
                {node.attr(0), node.attr(1), node.attr(2)});
}

Value dropout(const Value& x, double p) {
  static const Op& op = op_named("dropped");
  Generator& generator = current_generator();
  const uint64_t offset = draw(generator, philox_steps(x->numel()));
  return record(op, {x},
                {Arg::of(p), Arg::of(std::bit_cast<int64_t>(generator.seed)),
                 Arg::of(std::bit_cast<int64_t>(offset))});
}

void check_probability(double p) {
  if (!(p >= 0 && p <= 1))
    fail(ErrorKind::runtime, "dropout probability has to be between 0 and 1, but got ", p);
}

void check_floating(const Value& x) {
  if (!is_floating(x->dtype))
    fail(ErrorKind::runtime, "result type Float can't be cast to the desired output type ",
         scalar_type_name(x->dtype));
}

// One decision for each channel: the noise has size 1 in every dimension after the second.
Value feature_ones(const Value& x) {
  if (x->ndim() < 2)
    fail(ErrorKind::runtime, "Feature dropout requires at least 2 dimensions in the input");
  Dims sizes(x->sizes());
  for (int i = 2; i < sizes.n; ++i) sizes[i] = 1;
  return full(sizes.span(), 1, x->dtype);
}

// Keeps mean and variance of what selu gives: dropped elements become the value it saturates at.
Value alpha_mix(const Value& x, const Value& ones, double p) {
  constexpr double alpha = 1.7580993408473766;
  if (p == 1) return x * zeros_like(ones);
  const double scale = 1 / std::sqrt((alpha * alpha * p + 1) * (1 - p));
  const Value kept = dropout(ones, p) * (1 - p);
  return x * (kept * scale) + ((kept - 1) * (alpha * scale) + alpha * scale * p);
}

template <bool by_feature, bool alpha>
Values dropout_body(Call& c) {
  const Value x = c.tensor(0);
  const double p = c[1].as_real();
  check_probability(p);
  if (p == 0 || !c[2].as_bool() || x->numel() == 0) return {x};
  check_floating(x);
  if constexpr (alpha) return {alpha_mix(x, by_feature ? feature_ones(x) : ones_like(x), p)};
  return {by_feature ? x * dropout(feature_ones(x), p) : dropout(x, p)};
}

constexpr const char* kSignature = "(Tensor input, float p, bool train) -> Tensor";

constexpr Op kOps[] = {
    {.name = "dropped",
     .doc = "input times 0, with probability p, or 1 / (1 - p).",
     .infer = infer_dropout,
     .kernel = run_dropout,
     .grad = {GRAD(drop_again(s))},
     .lift = lift_dropped,
     .own_attrs = 0b100,
     .grad_name = "MulBackward0",
     .donates = 1,
     .cost = 1.5,
     .hidden = true},
    {.name = "dropout",
     .signature = kSignature,
     .doc = "input with elements set to 0 with probability p, and the others scaled to make up.",
     .example = "dropout(tensor([1., 2.]), 0.5, False)",
     .body = dropout_body<false, false>,
     .method = false,
     .inplace_function = true},
    {.name = "feature_dropout",
     .signature = kSignature,
     .doc = "dropout of whole channels, the second dimension.",
     .example = "feature_dropout(tensor([[1., 2.]]), 0.5, False)",
     .body = dropout_body<true, false>,
     .method = false,
     .inplace_function = true},
    {.name = "alpha_dropout",
     .signature = kSignature,
     .doc = "dropout that keeps mean and variance of what selu gives.",
     .example = "alpha_dropout(tensor([1., 2.]), 0.5, False)",
     .body = dropout_body<false, true>,
     .method = false,
     .inplace_function = true},
    {.name = "feature_alpha_dropout",
     .signature = kSignature,
     .doc = "alpha_dropout of whole channels, the second dimension.",
     .example = "feature_alpha_dropout(tensor([[1., 2.]]), 0.5, False)",
     .body = dropout_body<true, true>,
     .method = false,
     .inplace_function = true},
};

}  // namespace

std::span<const Op> dropout_ops() { return kOps; }

}  // namespace wend
