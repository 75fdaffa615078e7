// ops/elementwise.cpp: what all elementwise ops have in common: dtype promotion, broadcasting, the
// order of the result in memory, and running a loop over operands of any strides and dtypes.
// The ops themselves are the list in elementwise.def.
#include "kernels/elementwise.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/forever.hpp"
#include "base/threads.hpp"
#include "kernels/cast.hpp"
#include "kernels/iterate.hpp"
#include "ops/batching.hpp"
#include "ops/families.hpp"
#include "ops/functions.hpp"

namespace wend {
namespace {

constexpr int64_t kTile = 1024;

// What a Python number or 0-d tensor may raise a dtype to depends on its category.
int category(DType t) { return is_floating(t) ? 2 : is_integral(t) ? 1 : 0; }

struct Promotion {
  DType dims{}, zero_dims{}, numbers{};
  bool has_dims = false, has_zero_dims = false, has_numbers = false;

  static void join(DType& into, bool& has, DType t) {
    into = has ? promote(into, t) : t;
    has = true;
  }
  void add(const Node& in) {
    if (in.flags & Node::weak)
      join(numbers, has_numbers, is_floating(in.dtype) ? default_dtype() : in.dtype);
    else if (in.ndim() == 0)
      join(zero_dims, has_zero_dims, in.dtype);
    else
      join(dims, has_dims, in.dtype);
  }
  DType result() const {
    DType t = dims;
    bool has = has_dims;
    for (auto [lower, present] :
         {std::pair(zero_dims, has_zero_dims), std::pair(numbers, has_numbers)}) {
      if (!present) continue;
      if (!has || category(lower) > category(t)) t = has ? promote(t, lower) : lower;
      has = true;
    }
    return t;
  }
};

[[noreturn]] void does_not_broadcast(int64_t a, int64_t b, int dim) {
  fail(ErrorKind::runtime, "The size of tensor a (", a, ") must match the size of tensor b (", b,
       ") at non-singleton dimension ", dim);
}

Dims broadcast_strides(const Node& in, const Dims& sizes) {
  Dims strides(sizes.span());
  const int lead = sizes.n - in.ndim();
  for (int i = 0; i < sizes.n; ++i)
    strides[i] =
        i < lead || (in.size(i - lead) == 1 && sizes[i] != 1) ? 0 : in.layout->stride(i - lead);
  return strides;
}

// The layout that all operands have which are not 0-d or one element repeated in the same sizes;
// null when there is more to settle.
const Layout* common_layout(std::span<const Value> in) {
  const Layout* common = nullptr;
  for (const Value& v : in)
    if (!v->layout->uniform) {
      if (common && v->layout != common) return nullptr;
      common = v->layout;
    }
  if (!common || !common->in_order) return nullptr;
  for (const Value& v : in)
    if (v->layout->uniform && v->ndim() > 0 && !std::ranges::equal(v->sizes(), common->sizes()))
      return nullptr;
  return common;
}

// One element repeated in some sizes, and 0-d operands beside it.
bool only_one_has_dims(std::span<const Value> in, const Layout*& which) {
  which = nullptr;
  for (const Value& v : in) {
    if (v->ndim() == 0) continue;
    if (which || !v->layout->uniform) return false;
    which = v->layout;
  }
  return which != nullptr;
}

LayoutRef result_layout(std::span<const Value> in) {
  if (const Layout* common = common_layout(in)) return LayoutRef(common);
  const Layout* repeated;
  if (only_one_has_dims(in, repeated)) return contiguous(repeated->sizes());
  const Layout* first = in[0]->layout;
  const bool alike = std::ranges::all_of(in, [&](const Value& v) { return v->layout == first; });
  if (alike && first->contiguous) return contiguous(first->sizes());
  if (alike && first->dense) return LayoutRef(first);
  const Dims sizes = broadcast_sizes(in);
  Dims strides[kMaxOperands];
  bool all_rows = true;
  for (size_t i = 0; i < in.size(); ++i) {
    strides[i] = broadcast_strides(*in[i], sizes);
    all_rows &= in[i]->ndim() == sizes.n && in[i]->layout->contiguous &&
                std::ranges::equal(in[i]->sizes(), sizes.span());
  }
  if (all_rows) return contiguous(sizes);
  return following(sizes.span(), {strides, in.size()});
}

// Numbers take their value in the dtype of the computation; 16-bit floats compute in float32.
void fix_numbers(std::span<Value> in, DType compute) {
  const DType t = is_half(compute) ? DType::float32 : compute;
  for (Value& v : in) {
    if (!(v->flags & Node::weak)) continue;
    v = is_floating(v->dtype) ? constant(real_of(*v), t) : constant(int_of(*v), t);
  }
}

DType common_dtype(std::span<const Value> in) {
  const DType first = in[0]->dtype;
  bool same = !(in[0]->flags & Node::weak);
  for (size_t i = 1; same && i < in.size(); ++i) {
    if (in[i]->flags & Node::weak)
      same = category(in[i]->dtype) <= category(first);
    else
      same = in[i]->dtype == first;
  }
  return same ? first : result_type(in);
}

// That of the operands which are no numbers.
DType dtype_of_tensors(std::span<const Value> in) {
  Promotion p;
  for (const Value& v : in)
    if (!(v->flags & Node::weak)) p.add(*v);
  return p.has_dims || p.has_zero_dims ? p.result() : result_type(in);
}

// The classes of elementwise.def.
enum class Class {
  Arith,
  Number,
  Division,
  Float,
  FloatOnly,
  Bits,
  IntOnly,
  Compare,
  Logic,
  Select
};

// How many leading operands are conditions: bool, and without a say in the result's dtype.
constexpr int conditions(Class c) { return c == Class::Select ? 1 : 0; }
constexpr bool gives_bool(Class c) { return c == Class::Compare || c == Class::Logic; }

DType compute_dtype(DType t) { return is_half(t) ? DType::float32 : t; }

// What PyTorch calls the kernel of an op, in messages.
const char* kernel_name(const Op& op) {
  switch (static_cast<Elementwise>(op.elementwise)) {
    case Elementwise::bitwise_left_shift:
      return "lshift";
    case Elementwise::bitwise_right_shift:
      return "rshift";
    case Elementwise::floor_divide:
      return "div_floor";
    default:
      return op.name;
  }
}

void check_dtype(const Infer& s, DType compute) {
  if (elementwise_loop(static_cast<Elementwise>(s.op.elementwise), compute_dtype(compute))) return;
  fail(ErrorKind::not_implemented, "\"", kernel_name(s.op), "_cpu\" not implemented for '",
       scalar_type_name(compute), "'");
}

// The result's layout for these operands, which it follows from alone.
template <int kArity>
[[gnu::always_inline]] inline LayoutRef layout_of(std::span<const Value> in) {
  static constinit Forever<LayoutMemo> memo;
  const Layout* first = in[0]->layout;
  bool alike = first->in_order;
  for (int i = 1; i < kArity; ++i) alike &= in[i]->layout == first || in[i]->layout->ndim == 0;
  if (alike) return LayoutRef(first);
  if (kArity > 2) return result_layout(in);
  return memo.value.get(first, kArity > 1 ? in[1]->layout : nullptr,
                        [&] { return result_layout(in); });
}

// Operands of one float dtype: nothing is to be promoted.
template <int kArity>
[[gnu::always_inline]] inline bool infer_alike(Infer& s) {
  const Node& a = *s.in[0];
  bool alike = is_floating(a.dtype) && !(a.flags & Node::weak);
  for (int i = 1; i < kArity; ++i)
    alike &= s.in[i]->dtype == a.dtype && !(s.in[i]->flags & Node::weak);
  if (!alike) return false;
  s.layout = layout_of<kArity>(s.in);
  s.dtype = a.dtype;
  return true;
}

// What follows from the dtype of the computation, which is also the result's.
void settle(Infer& s, std::span<Value> operands, DType compute) {
  check_dtype(s, compute);
  s.dtype = compute;
  fix_numbers(operands, compute);
  s.layout = result_layout(s.in);
}

constexpr bool takes_floats(Class c) { return c != Class::Bits && c != Class::IntOnly; }

template <Class kClass>
[[gnu::noinline]] void infer_any(Infer& s) {
  const std::span<Value> operands = s.in.subspan(conditions(kClass));
  DType compute = kClass == Class::FloatOnly ? dtype_of_tensors(operands) : common_dtype(operands);
  if (kClass == Class::Float && !is_floating(compute)) compute = default_dtype();
  settle(s, operands, compute);
  if (gives_bool(kClass)) s.dtype = DType::bool_;
}

template <Class kClass, int kArity>
void infer(Infer& s) {
  if (!takes_floats(kClass) || conditions(kClass) || !infer_alike<kArity>(s))
    return infer_any<kClass>(s);
  if (gives_bool(kClass)) s.dtype = DType::bool_;
}

void infer_neg(Infer& s) {
  if (s.in[0]->dtype == DType::bool_)
    fail(ErrorKind::runtime,
         "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to "
         "invert a mask, use the `~` or `logical_not()` operator instead.");
  infer<Class::Number, 1>(s);
}

void infer_pow(Infer& s) {
  const Node& exponent = *s.in[1];
  if (exponent.flags & Node::weak && !is_floating(exponent.dtype) && int_of(exponent) < 0 &&
      !is_floating(s.in[0]->dtype))
    fail(ErrorKind::runtime, "Integers to negative integer powers are not allowed.");
  infer<Class::Number, 2>(s);
}

[[noreturn]] void divided_by_zero() { fail(ErrorKind::runtime, "ZeroDivisionError"); }

bool has_zero(const Node& divisor, const char* data) {
  Iteration it;
  it.begin(divisor.sizes());
  it.add(const_cast<char*>(data), divisor.strides(), divisor.sizes(), size_of(divisor.dtype));
  const int64_t size = size_of(divisor.dtype);
  constexpr char zero[8] = {};
  bool found = false;
  it.walk(0, it.outer(), [&](char** at, const int64_t* step, int64_t n) {
    for (int64_t i = 0; i < n && !found; ++i)
      found = std::memcmp(at[0] + i * step[0], zero, static_cast<size_t>(size)) == 0;
  });
  return found;
}

// Integers are not divided by 0: a divisor that came from outside is looked at now, one that was
// computed when the node runs.
void infer_division(Infer& s) {
  infer<Class::Division, 2>(s);
  if (is_floating(s.dtype) || s.layout->numel == 0) return;
  const char* divisor = given_data(*s.in[1]);
  if (divisor && has_zero(*s.in[1], divisor)) divided_by_zero();
}

void refuse_bool_difference(const Infer& s) {
  const bool a = s.in[0]->dtype == DType::bool_, b = s.in[1]->dtype == DType::bool_;
  if (a && b)
    fail(ErrorKind::runtime,
         "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
         "`logical_xor()` operator instead.");
  if (a || b)
    fail(ErrorKind::runtime,
         "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to "
         "invert a mask, use the `~` or `logical_not()` operator instead.");
}

void infer_difference(Infer& s) {
  refuse_bool_difference(s);
  infer<Class::Number, 2>(s);
}

void infer_scaled_difference(Infer& s) {
  refuse_bool_difference(s);
  infer<Class::Number, 3>(s);
}

// The numbers have no say in the dtype, and must fit it. Those of a batch's members, one behind the
// other, are no constants any more, and were looked at when the members were recorded.
void infer_fixed(Infer& s) {
  const DType dtype = s.in[0]->dtype;
  for (const Value& number : s.in.subspan(1))
    if (is_constant(*number)) check_fits(*number, dtype);
  settle(s, s.in, dtype);
}

bool is_negative(const Node& number) { return is_constant(number) && real_of(number) < 0; }

void infer_hardtanh(Infer& s) {
  const DType dtype = s.in[0]->dtype;
  if (dtype == DType::bool_) fail(ErrorKind::runtime, "Bool inputs not supported for hardtanh");
  if (dtype == DType::uint8 && (is_negative(*s.in[1]) || is_negative(*s.in[2])))
    fail(ErrorKind::runtime, "cannot do hardtanh on an unsigned type with negative limits");
  infer_fixed(s);
}

void infer_softshrink(Infer& s) {
  const DType dtype = s.in[0]->dtype;
  const double lambda = is_constant(*s.in[1]) ? real_of(*s.in[1]) : 0;
  const double most = largest_real(dtype);
  if (is_floating(dtype) && !(lambda >= 0 && lambda <= most))
    fail(ErrorKind::runtime, "lambda must be in range [0, ", most, "] for input dtype ",
         scalar_type_name(dtype), ", but found ", lambda);
  infer<Class::FloatOnly, 2>(s);
}

void infer_celu(Infer& s) {
  if (is_constant(*s.in[1]) && real_of(*s.in[1]) == 0)
    fail(ErrorKind::runtime, "ZeroDivisionError: alpha cannot be 0 for CELU");
  infer<Class::FloatOnly, 2>(s);
}

void infer_heaviside(Infer& s) {
  if (s.in[0]->dtype != s.in[1]->dtype)
    fail(ErrorKind::runtime, "heaviside is not yet implemented for tensors with different dtypes.");
  infer<Class::Arith, 2>(s);
}

void infer_lerp(Infer& s) {
  const DType dtype = s.in[0]->dtype;
  auto check = [&](const Node& in, const char* name) {
    if (in.dtype != dtype)
      fail(ErrorKind::runtime, "expected dtype ", cpp_name(dtype), " for `", name,
           "` but got dtype ", cpp_name(in.dtype));
  };
  check(*s.in[1], "end");
  if (s.in[2]->ndim() > 0) check(*s.in[2], "weight");
  settle(s, s.in, dtype);
}

void infer_where(Infer& s) {
  if (s.in[0]->dtype != DType::bool_ && s.in[0]->dtype != DType::uint8)
    fail(ErrorKind::runtime,
         "where expected condition to be a boolean tensor, but got a tensor with dtype ",
         scalar_type_name(s.in[0]->dtype));
  infer<Class::Select, 3>(s);
}

// One op over some operands: which loop, and the dtype that each operand has inside it.
struct Plan {
  Tile tile;
  int n;  // operands with the output, which is the first
  DType outside[kMaxOperands];
  bool converts = false;
};

template <Class kClass>
inline Tile tile_of(const Node& node) {
  const int leading = conditions(kClass);
  const DType compute =
      compute_dtype(gives_bool(kClass) ? result_type(node.in().subspan(leading)) : node.dtype);
  Tile tile;
  tile.loop = elementwise_loop(static_cast<Elementwise>(node.op->elementwise), compute);
  for (DType& inside : tile.inside) inside = compute;
  if (gives_bool(kClass)) tile.inside[0] = DType::bool_;
  for (int i = 1; i <= leading; ++i) tile.inside[i] = DType::bool_;
  return tile;
}

// Whether an integer is divided by 0 is found out first, and for all elements.
template <Class kClass>
bool tile(const Node& node, Tile& tile) {
  if (kClass == Class::Division && !is_floating(node.dtype)) return false;
  tile = tile_of<kClass>(node);
  return true;
}

template <Class kClass>
Plan plan_of(const Node& node) {
  Plan plan;
  plan.tile = tile_of<kClass>(node);
  plan.n = static_cast<int>(node.n_inputs) + 1;
  for (int i = 0; i < plan.n; ++i) {
    plan.outside[i] = i ? node.inputs[i - 1]->dtype : node.dtype;
    plan.converts |= plan.tile.inside[i] != plan.outside[i];
  }
  return plan;
}

void check_loop(int result) {
  if (result == zero_divisor) divided_by_zero();
}

// A row of operands of other dtypes: tile by tile, converted into and out of the loop's dtypes.
int run_converted(const Plan& plan, char** at, const int64_t* step, int64_t n) {
  alignas(64) char tiles[kMaxOperands][kTile * 8];
  for (int64_t start = 0; start < n; start += kTile) {
    const int64_t len = std::min(kTile, n - start);
    char* data[kMaxOperands];
    int64_t stride[kMaxOperands];
    for (int i = 0; i < plan.n; ++i) {
      char* here = at[i] + start * step[i];
      const bool convert = plan.tile.inside[i] != plan.outside[i];
      data[i] = convert ? tiles[i] : here;
      stride[i] = convert ? size_of(plan.tile.inside[i]) : step[i];
      if (!convert || i == 0) continue;
      if (step[i] == 0) stride[i] = 0;
      cast_loop(plan.tile.inside[i], plan.outside[i])(tiles[i], stride[i], here, step[i],
                                                      step[i] ? len : 1);
    }
    if (const int result = plan.tile.loop(data, stride, len)) return result;
    if (plan.tile.inside[0] != plan.outside[0])
      cast_loop(plan.outside[0], plan.tile.inside[0])(at[0] + start * step[0], step[0], tiles[0],
                                                      stride[0], len);
  }
  return loop_done;
}

int run_row(const Plan& plan, char** at, const int64_t* step, int64_t n) {
  return plan.converts ? run_converted(plan, at, step, n) : plan.tile.loop(at, step, n);
}

// Elements that one thread should have at least.
int64_t grain_of(const Op& op) { return static_cast<int64_t>(32768 / op.cost); }

void run_rows(const Plan& plan, const Iteration& it, int64_t grain) {
  int failure = loop_done;
  if (it.outer() == 1) {
    const bool flat = it.ndim > 0;
    parallel_for(it.inner(), grain, [&](int64_t begin, int64_t end) {
      char* at[kMaxOperands];
      int64_t step[kMaxOperands];
      for (int k = 0; k < it.operands; ++k) {
        step[k] = flat ? it.stride[k][0] : 0;
        at[k] = it.data[k] + begin * step[k];
      }
      if (const int r = run_row(plan, at, step, end - begin)) failure = r;
    });
  } else {
    parallel_for(it.outer(), std::max<int64_t>(1, grain / it.inner()),
                 [&](int64_t begin, int64_t end) {
                   it.walk(begin, end, [&](char** at, const int64_t* step, int64_t n) {
                     if (const int r = run_row(plan, at, step, n)) failure = r;
                   });
                 });
  }
  check_loop(failure);
}

// Operands that lie in memory as the output does, or are single elements: one flat loop.
bool run_flat(const Plan& plan, const Run& s) {
  if (plan.converts) return false;
  char* at[kMaxOperands] = {s.out()};
  int64_t step[kMaxOperands] = {size_of(s.node.dtype)};
  for (int i = 1; i < plan.n; ++i) {
    const Node& in = s.in(i - 1);
    if (in.layout != s.node.layout && !in.layout->uniform) return false;
    at[i] = in.data();
    step[i] = in.layout == s.node.layout ? size_of(in.dtype) : 0;
  }
  const int64_t n = s.node.numel(), grain = grain_of(*s.node.op);
  if (n <= grain) {
    check_loop(plan.tile.loop(at, step, n));
    return true;
  }
  Iteration it;
  it.begin({&n, 1});
  for (int i = 0; i < plan.n; ++i) it.data[i] = at[i], it.stride[i][0] = step[i];
  it.operands = plan.n;
  run_rows(plan, it, grain);
  return true;
}

// The usual case, told from the rest as fast as possible: every operand has the dtype that is
// computed in, and the layout of the result or one element.
template <Class kClass, int kArity>
inline bool run_small(const Run& s) {
  const Node& node = s.node;
  const DType compute = gives_bool(kClass) ? node.inputs[0]->dtype : node.dtype;
  const int64_t size = size_of(compute), n = node.numel();
  const Loop loop = elementwise_loop(static_cast<Elementwise>(node.op->elementwise), compute);
  if (n > 4096 || !loop) return false;
  char* at[kMaxOperands];
  int64_t step[kMaxOperands];
  step[0] = gives_bool(kClass) ? 1 : size;
  at[0] = node.buffer->data + node.offset * step[0];
  for (int i = 0; i < kArity; ++i) {
    const Node& in = *node.inputs[i];
    const bool alike = in.layout == node.layout;
    if (in.dtype != compute || !(alike || in.layout->uniform)) return false;
    at[i + 1] = in.buffer->data + in.offset * size;
    step[i + 1] = alike ? size : 0;
  }
  check_loop(loop(at, step, n));
  return true;
}

template <Class kClass>
[[gnu::noinline]] void run_any(Run& s) {
  const Plan plan = plan_of<kClass>(s.node);
  if (run_flat(plan, s)) return;
  Iteration it;
  it.begin(s.node.sizes());
  it.add(s.out(), s.node.strides(), s.node.sizes(), size_of(s.node.dtype));
  for (int i = 1; i < plan.n; ++i) {
    const Node& in = s.in(i - 1);
    it.add(in.data(), in.strides(), in.sizes(), size_of(in.dtype));
  }
  it.simplify();
  run_rows(plan, it, grain_of(*s.node.op));
}

template <Class kClass, int kArity>
void run(Run& s) {
  if (s.node.numel() == 0) return;
  if (!conditions(kClass) && run_small<kClass, kArity>(s)) return;
  run_any<kClass>(s);
}

// Numbers and 0-d tensors, which have less say in the dtype, would gain a dimension and with it a
// say.
bool same_dtypes(const Lift& s, int leading) {
  return std::ranges::all_of(s.in.subspan(leading),
                             [&](const Value& v) { return v->dtype == s.in[leading]->dtype; });
}

template <Class kClass>
Value lift(const Lift& s) {
  if (!same_dtypes(s, conditions(kClass))) return nullptr;
  Value in[kMaxOperands];
  const size_t n = s.in.size();
  for (size_t i = 0; i < n; ++i) in[i] = aligned(s, static_cast<int>(i), s.like.ndim());
  return record(*s.like.op, std::span(in, n));
}

// The derivative of mish, made of ops that can be differentiated again.
Value mish_slope(const Value& a) {
  const Value t = tanh(softplus(a, 1, 20));
  return t + a * sigmoid(a) * (1 - t * t);
}

constexpr const char* kSignatures[] = {
    "",
    "(Tensor input) -> Tensor",
    "(Tensor input, Operand other) -> Tensor",
};

// What the entries of the list have in common; an entry may say otherwise.
constexpr Op with_family(Op op, int index, int arity, Class c, void (*infer)(Infer&),
                         void (*kernel)(Run&), Value (*lift)(const Lift&),
                         bool (*tile)(const Node&, Tile&)) {
  if (!op.signature && !op.hidden) op.signature = kSignatures[arity];
  op.by_layout |= !op.infer;
  if (!op.infer) op.infer = infer;
  op.kernel = kernel;
  op.launches = c != Class::Division;
  op.lift = lift;
  op.tile = tile;
  op.elementwise = index;
  op.inplace_function = op.inplace_function || (arity == 1 && op.inplace);
  op.donates = static_cast<uint8_t>((1 << arity) - 1);
  if (gives_bool(c)) op.differentiable = false;
  return op;
}

constexpr Op kOps[] = {
#define ELEMENTWISE(name_, arity, class_, expression, ...)                                  \
  with_family(Op{.name = #name_, __VA_ARGS__}, static_cast<int>(Elementwise::name_), arity, \
              Class::class_, infer<Class::class_, arity>, run<Class::class_, arity>,        \
              lift<Class::class_>, tile<Class::class_>),
#include "kernels/elementwise.def"
#undef ELEMENTWISE
};

}  // namespace

std::span<const Op> elementwise_ops() { return kOps; }

DType result_type(std::span<const Value> in) {
  Promotion p;
  for (const Value& v : in) p.add(*v);
  return p.result();
}

Dims broadcast_sizes(std::span<const Value> in) {
  Dims sizes;
  for (const Value& v : in) {
    while (sizes.n < v->ndim()) sizes.insert(0, 1);
    const int lead = sizes.n - v->ndim();
    for (int i = v->ndim() - 1; i >= 0; --i) {
      const int64_t have = v->size(i);
      if (have == 1 || have == sizes[lead + i]) continue;
      if (sizes[lead + i] != 1) does_not_broadcast(sizes[lead + i], have, lead + i);
      sizes[lead + i] = have;
    }
  }
  return sizes;
}

#define ELEMENTWISE_RECORD(name, ...)                                        \
  {                                                                          \
    Value in[] = {__VA_ARGS__};                                              \
    return record(kOps[static_cast<int>(Elementwise::name)], std::span(in)); \
  }
#define ELEMENTWISE_BODY_1(name) Value name(const Value& a) ELEMENTWISE_RECORD(name, a)
#define ELEMENTWISE_BODY_2(name) \
  Value name(const Value& a, const Value& b) ELEMENTWISE_RECORD(name, a, b)
#define ELEMENTWISE_BODY_3(name) \
  Value name(const Value& a, const Value& b, const Value& c) ELEMENTWISE_RECORD(name, a, b, c)
#define ELEMENTWISE_BODY_4(name)                                             \
  Value name(const Value& a, const Value& b, const Value& c, const Value& d) \
      ELEMENTWISE_RECORD(name, a, b, c, d)
#define ELEMENTWISE(name, arity, ...) ELEMENTWISE_BODY_##arity(name)
#include "kernels/elementwise.def"
#undef ELEMENTWISE

}  // namespace wend
