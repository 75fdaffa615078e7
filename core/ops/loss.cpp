// ops/loss.cpp: the loss of log-probabilities against class indices, and cross_entropy made of it.
// Losses that are plain arithmetic are written in Python, in wend/nn/_losses.py.
#include <algorithm>
#include <limits>
#include <string_view>
#include <vector>

#include "base/threads.hpp"
#include "graph/read.hpp"
#include "ops/batching.hpp"
#include "ops/families.hpp"
#include "ops/functions.hpp"
#include "ops/places.hpp"

namespace wend {
namespace {

enum class Reduction : int64_t { none, mean, sum };

// One loss: input (N, C, D), targets (N, D) among C classes, perhaps a weight for each class. A
// target t costs -(1 - smoothing) w[t] input[t] - smoothing / C * sum over c of w[c] input[c]. That
// is linear in the input, so the loss and its gradient are each other's gradient.
template <class T>
struct Nll {
  int64_t classes, inner;
  const int64_t* target;
  const T* weight;
  int64_t ignored;
  double smoothing;
  Reduction reduction;

  // Node `s` has the targets as input 1, perhaps the weight as input 2, and the attributes ignored,
  // smoothing, reduction, and how many targets are reduced to one loss, 0 for all. `sizes` are
  // those of the log-probabilities.
  Nll(const Run& s, std::span<const int64_t> sizes)
      : target(reinterpret_cast<const int64_t*>(s.in(1).data())),
        weight(s.node.n_inputs > 2 ? reinterpret_cast<const T*>(s.in(2).data()) : nullptr),
        ignored(s.attr(0).as_int()),
        smoothing(s.attr(1).as_real()),
        reduction(static_cast<Reduction>(s.attr(2).as_int())) {
    const bool batched = sizes.size() > 1;
    classes = sizes[batched ? 1 : 0];
    inner = batched ? wend::count(sizes.subspan(2)) : 1;
    count = s.in(1).numel();
    together = s.attr(3).as_int() ? s.attr(3).as_int() : count;
    losses = s.attr(3).as_int() ? count / together : 1;
  }

  int64_t count;     // of targets
  int64_t together;  // of those: as many are reduced to one loss
  int64_t losses;    // that are left then
  T weight_of(int64_t c) const { return weight ? weight[c] : T(1); }
  // Where the log-probability of class 0 for target i stands; the next class is `inner` further on.
  int64_t place(int64_t i) const { return i / inner * classes * inner + i % inner; }

  double loss_of(const T* input, int64_t i) const {
    const int64_t t = target[i];
    if (t == ignored) return 0;
    const T* row = input + place(i);
    double loss = -(1 - smoothing) * weight_of(t) * row[t * inner];
    if (smoothing == 0) return loss;
    double all = 0;
    for (int64_t c = 0; c < classes; ++c) all += weight_of(c) * row[c * inner];
    return loss - smoothing / classes * all;
  }
  void add_gradient(T* input, int64_t i, double g) const {
    const int64_t t = target[i];
    if (t == ignored) return;
    T* row = input + place(i);
    if (smoothing != 0)
      for (int64_t c = 0; c < classes; ++c)
        row[c * inner] = static_cast<T>(-g * smoothing / classes * weight_of(c));
    row[t * inner] -= static_cast<T>(g * (1 - smoothing) * weight_of(t));
  }
  // What the sum of loss `k` is divided by.
  double divisor(int64_t k) const {
    if (reduction != Reduction::mean) return 1;
    double total = 0;
    for (int64_t i = k * together; i < (k + 1) * together; ++i)
      if (target[i] != ignored) total += weight_of(target[i]);
    return total;
  }
  int64_t grain() const {
    return smoothing != 0 ? 1 + 16384 / std::max<int64_t>(1, classes) : 4096;
  }
};

void check_targets(const int64_t* t, int64_t n, int64_t classes, int64_t ignored) {
  for (int64_t i = 0; i < n; ++i)
    if (t[i] != ignored && (t[i] < 0 || t[i] >= classes))
      fail(ErrorKind::index, "Target ", t[i], " is out of bounds.");
}

Value row_major(const Value& v) { return v->layout->contiguous ? v : contiguous_copy(v); }

// Targets are int64, and the weight has the input's dtype: see nll_loss. What members of a batch
// share is repeated for them, and not contiguous then.
void infer_nll(Infer& s) {
  for (Value& in : s.in) in = row_major(in);
  s.dtype = s.in[0]->dtype;
  const bool none = static_cast<Reduction>(s.attrs[2].as_int()) == Reduction::none;
  const int64_t together = s.attrs[3].as_int();
  if (none && s.in[0]->ndim() > 1)
    s.layout = contiguous(s.in[1]->sizes());
  else if (!none && together)
    s.layout = contiguous(Dims{s.in[1]->numel() / together});
  else
    s.layout = contiguous(Dims{});
}

template <class T>
void nll(const Run& s) {
  const Nll<T> loss(s, s.in(0).sizes());
  check_targets(loss.target, loss.count, loss.classes, loss.ignored);
  const T* input = reinterpret_cast<const T*>(s.in(0).data());
  T* out = reinterpret_cast<T*>(s.out());
  std::vector<double> each(loss.count);
  parallel_for(loss.count, loss.grain(), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) each[i] = loss.loss_of(input, i);
  });
  if (loss.reduction == Reduction::none) {
    std::copy(each.begin(), each.end(), out);
    return;
  }
  for (int64_t k = 0; k < loss.losses; ++k) {
    double total = 0;
    for (int64_t i = k * loss.together; i < (k + 1) * loss.together; ++i) total += each[i];
    out[k] = static_cast<T>(total / loss.divisor(k));
  }
}

// The sizes of the log-probabilities are attribute 4.
void infer_nll_backward(Infer& s) {
  for (Value& in : s.in) in = row_major(in);
  s.dtype = s.in[0]->dtype;
  s.layout = contiguous(s.attrs[4].as_ints());
}

template <class T>
void nll_backward(const Run& s) {
  const Nll<T> loss(s, s.attr(4).as_ints());
  const T* g = reinterpret_cast<const T*>(s.in(0).data());
  T* out = reinterpret_cast<T*>(s.out());
  const bool each = loss.reduction == Reduction::none;
  fill_zero(s.out(), s.node.numel() * sizeof(T));
  std::vector<double> scaled(each ? 0 : loss.losses);
  for (size_t k = 0; k < scaled.size(); ++k)
    scaled[k] = g[k] * (1 / loss.divisor(static_cast<int64_t>(k)));
  parallel_for(loss.count, loss.grain(), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      loss.add_gradient(out, i, each ? g[i] : scaled[i / loss.together]);
  });
}

void run_nll(Run& s) { s.node.dtype == DType::float64 ? nll<double>(s) : nll<float>(s); }
void run_nll_backward(Run& s) {
  s.node.dtype == DType::float64 ? nll_backward<double>(s) : nll_backward<float>(s);
}

Value nll_gradient(const GradCall& s, const Value& target, const Value& weight) {
  static const Op& op = op_named("nll_loss_backward");
  const Node& node = s.node();
  const std::initializer_list<Arg> attrs = {node.attr(0), node.attr(1), node.attr(2), node.attr(3),
                                            Arg::of(s.in(0)->sizes())};
  if (node.n_inputs > 2) return record(op, {s.g, target, weight}, attrs);
  return record(op, {s.g, target}, attrs);
}
Value nll_gradient_of_gradient(const GradCall& s, const Value& target, const Value& weight) {
  static const Op& op = op_named("nll_loss_forward");
  const Node& node = s.node();
  const std::initializer_list<Arg> attrs = {node.attr(0), node.attr(1), node.attr(2), node.attr(3)};
  if (node.n_inputs > 2) return record(op, {s.g, target, weight}, attrs);
  return record(op, {s.g, target}, attrs);
}

// Members of a loss, their targets in one row: each member's are reduced together.
struct ManyLosses {
  explicit ManyLosses(const Lift& s, std::span<const int64_t> x)
      : n(s.n()), targets(s.like.inputs[1]->numel()), classes(x.back()) {
    const bool shares_weight = s.in.size() < 3 || s.is_shared(2);
    possible = x.size() <= 2 && shares_weight && targets > 0;
    attrs[0] = s.like.attr(0), attrs[1] = s.like.attr(1), attrs[2] = s.like.attr(2);
    // A member may be the loss of a batch: its own members stay apart.
    const int64_t together = s.like.attr(3).as_int();
    attrs[3] = Arg::of(together ? together : targets);
  }

  int64_t n, targets, classes;
  bool possible;
  Arg attrs[5];

  // With `first`, which has a row or an element for each target or each member.
  Value record_all(const Lift& s, const Value& first, size_t n_attrs) const {
    Value in[3] = {first, reshape(with_members(s, 1), Dims{n * targets})};
    if (s.in.size() > 2) in[2] = s.in[2];
    return record(*s.like.op, std::span(in, s.in.size()), std::span(attrs, n_attrs));
  }
};

Value lift_nll(const Lift& s) {
  const ManyLosses all(s, s.like.inputs[0]->sizes());
  if (!all.possible) return nullptr;
  const Value rows = reshape(with_members(s, 0), Dims{all.n * all.targets, all.classes});
  return reshape(all.record_all(s, rows, 4), s.with_n(s.like.sizes()));
}

Value lift_nll_backward(const Lift& s) {
  const auto sizes = s.like.attr(4).as_ints();
  ManyLosses all(s, sizes);
  if (!all.possible) return nullptr;
  const Dims rows{all.n * all.targets, all.classes};
  all.attrs[4] = Arg::of(rows.span());
  const Value g = with_members(s, 0);
  return reshape(all.record_all(s, reshape(g, Dims{g->numel()}), 5), s.with_n(sizes));
}

// The older arguments size_average and reduce have a say where they are given.
Reduction reduction_of(const Arg& size_average, const Arg& reduce, const Arg& name) {
  if (!size_average.is_none() || !reduce.is_none()) {
    if (!reduce.is_none() && !reduce.as_bool()) return Reduction::none;
    return size_average.is_none() || size_average.as_bool() ? Reduction::mean : Reduction::sum;
  }
  const std::string_view text(name.text_p, name.n);
  if (text == "none") return Reduction::none;
  if (text == "mean") return Reduction::mean;
  if (text == "sum") return Reduction::sum;
  fail(ErrorKind::value, text, " is not a valid value for reduction");
}

struct Options {
  Reduction reduction;
  int64_t ignored;
  double smoothing = 0;
};

void check_sizes(const Node& x, const Node& target) {
  const int n = x.ndim();
  const int64_t targets = target.ndim() ? target.size(0) : 0;
  if (n == 1 && target.ndim() == 1 && targets != 1)
    fail(ErrorKind::value,
         "For 1D input, 1D target must have size 1, but got target size: ", targets);
  if (n != 1 && x.size(0) != targets)
    fail(ErrorKind::value, "Expected input batch_size (", x.size(0),
         ") to match target batch_size (", targets, ").");
  if (n <= 2) {
    if (target.ndim() > 1)
      fail(ErrorKind::runtime, "0D or 1D target tensor expected, multi-target not supported");
    return;
  }
  Dims expected(x.sizes());
  expected.erase(1);
  if (std::ranges::equal(expected, target.sizes())) return;
  if (n != 4)
    fail(ErrorKind::runtime, "Expected target size ", show(expected), ", got ",
         show(target.sizes()));
  if (target.ndim() != 3)
    fail(ErrorKind::runtime,
         "only batches of spatial targets supported (3D tensors) but got targets of dimension: ",
         target.ndim());
  fail(ErrorKind::runtime, "size mismatch (got input: ", show(x.sizes()),
       " , target: ", show(target.sizes()));
}

void check_weight(const Node& x, const Value& weight) {
  if (!weight) return;
  const int64_t classes = x.size(x.ndim() > 1 ? 1 : 0);
  if (weight->ndim() != 1 || weight->size(0) != classes)
    fail(ErrorKind::runtime, "weight tensor should be defined either for all ", classes,
         " classes or no classes but got weight tensor of shape: ", show(weight->sizes()));
  if (weight->dtype != x.dtype)
    fail(ErrorKind::runtime, "expected scalar type ", scalar_type_name(x.dtype), " but found ",
         scalar_type_name(weight->dtype));
  if (weight->needs_grad() && mode.grad)
    fail(ErrorKind::runtime,
         "The function 'nll_loss_forward' is not differentiable with respect to argument 'weight'. "
         "This input cannot have requires_grad True.");
}

void check_nll(const Node& x, const Node& target, const Value& weight) {
  if (x.ndim() == 0) fail(ErrorKind::value, "Expected 1 or more dimensions (got 0)");
  check_sizes(x, target);
  check_weight(x, weight);
  if (!is_floating(x.dtype))
    fail(ErrorKind::not_implemented, "\"nll_loss_out_frame\" not implemented for '",
         scalar_type_name(x.dtype), "'");
  if (target.dtype != DType::int64 && target.dtype != DType::uint8)
    fail(ErrorKind::runtime, "expected target dtype to be Long or Byte, but got ",
         scalar_type_name(target.dtype));
}

// Targets that are probabilities are not looked at.
void look_at_targets(const Node& x, const Node& target, int64_t ignored) {
  if (is_floating(target.dtype)) return;
  const int64_t classes = x.size(x.ndim() > 1 ? 1 : 0);
  look_at_given(target,
                [=](const int64_t* t, int64_t n) { check_targets(t, n, classes, ignored); });
}
void look_at_call(const Call& c) { look_at_targets(*c[0].node, *c[1].node, c[4].as_int()); }

// 16-bit floats are added up in float32.
Value nll_loss(const Value& x, const Value& target, const Value& weight, Options o) {
  static const Op& op = op_named("nll_loss_forward");
  check_nll(*x, *target, weight);
  const DType compute = is_half(x->dtype) ? DType::float32 : x->dtype;
  const Value classes = row_major(cast(target, DType::int64));
  look_at_targets(*x, *target, o.ignored);
  Value in[3] = {cast(x, compute), classes, weight ? cast(weight, compute) : Value()};
  const Arg attrs[] = {Arg::of(o.ignored), Arg::of(o.smoothing),
                       Arg::of(static_cast<int64_t>(o.reduction)), Arg::of(int64_t{0})};
  return cast(record(op, std::span(in, weight ? 3 : 2), attrs), x->dtype);
}

Values nll_loss_body(Call& c) {
  return {nll_loss(c.tensor(0), c.tensor(1), c.tensor(2),
                   {reduction_of(c[3], c[5], c[6]), c[4].as_int()})};
}

// Targets are probabilities of the classes.
Value soft_cross_entropy(const Value& log_p, Value target, const Value& weight, int64_t dim,
                         const Options& o) {
  if (!is_floating(target->dtype))
    fail(ErrorKind::runtime,
         "Expected floating point type for target with class probabilities, got ",
         scalar_type_name(target->dtype));
  if (o.ignored >= 0)
    fail(ErrorKind::runtime, "ignore_index is not supported for floating point target");
  const int64_t classes = log_p->ndim() ? log_p->size(static_cast<int>(dim)) : 1;
  if (o.smoothing > 0) target = target * (1 - o.smoothing) + o.smoothing / classes;
  Value loss = log_p * target;
  if (weight) {
    if (weight->ndim() != 1 || weight->size(0) != classes)
      fail(ErrorKind::runtime, "cross_entropy: weight tensor should be defined either for all ",
           classes,
           " classes or no classes but got weight tensor of shape: ", show(weight->sizes()));
    Dims sizes(log_p->sizes());
    for (int i = 0; i < sizes.n; ++i) sizes[i] = i == dim ? classes : 1;
    loss = loss * reshape(weight, sizes);
  }
  if (o.reduction == Reduction::none) return -sum(loss, Dims{dim}, false);
  const Value total = -sum(loss, Dims{}, false);
  if (o.reduction == Reduction::sum) return total;
  return total / (static_cast<double>(log_p->numel()) / static_cast<double>(classes));
}

Values cross_entropy_body(Call& c) {
  const Value x = c.tensor(0), target = c.tensor(1), weight = c.tensor(2);
  const Options o{reduction_of(c[3], c[5], c[6]), c[4].as_int(),
                  c[7].as_real() < 0 ? 0 : c[7].as_real()};
  if (!(o.smoothing <= 1))
    fail(ErrorKind::runtime, "label_smoothing must be between 0.0 and 1.0. Got: ", o.smoothing);
  const int64_t dim = x->ndim() == 1 ? 0 : 1;
  const Value log_p = log_softmax(x, dim);
  if (std::ranges::equal(x->sizes(), target->sizes()))
    return {soft_cross_entropy(log_p, target, weight, dim, o)};
  return only(nll_loss(log_p, target, weight, o));
}

void check_probabilities(std::span<const int64_t> sizes, Strided p, bool of_target) {
  std::vector<double> values(count(sizes));
  const Dims rows = contiguous_strides(sizes);
  copy(sizes, {reinterpret_cast<char*>(values.data()), DType::float64, rows.span()}, p);
  for (double v : values)
    if (!(v >= 0 && v <= 1))
      fail(ErrorKind::runtime, "all elements of ", of_target ? "target" : "input",
           " should be between 0 and 1");
}

// Passes the memory on where it may, so that the check costs a look at each element.
void run_check(Run& s) {
  if (s.node.numel() == 0) return;
  const Node& in = s.in(0);
  check_probabilities(in.sizes(), strided(in), s.attr(0).as_bool());
  if (!s.donated(0)) copy(in.sizes(), strided(s.node), strided(in));
}

// What came from outside is looked at here already.
Value checked(const Value& p, bool of_target) {
  static const Op& check = op_named("check_probabilities");
  char* data = const_cast<char*>(given_data(*p));
  if (data && p->numel())
    check_probabilities(p->sizes(), {data, p->dtype, p->strides()}, of_target);
  return record(check, {p}, {Arg::of(of_target)});
}

Value reduced(const Value& loss, Reduction reduction) {
  if (reduction == Reduction::none) return loss;
  const Value total = sum(loss, Dims{}, false);
  return reduction == Reduction::sum ? total : total / static_cast<double>(loss->numel());
}

Values binary_cross_entropy_body(Call& c) {
  const Value x = c.tensor(0), target = c.tensor(1), weight = c.tensor(2);
  const Reduction reduction = reduction_of(c[3], c[4], c[5]);
  if (!std::ranges::equal(x->sizes(), target->sizes()))
    fail(ErrorKind::value, "Using a target size (torch.Size(", show(target->sizes()),
         ")) that is different to the input size (torch.Size(", show(x->sizes()),
         ")) is deprecated. Please ensure they have the same size.");
  if (x->dtype != target->dtype)
    fail(ErrorKind::runtime, "Found dtype ", scalar_type_name(target->dtype), " but expected ",
         scalar_type_name(x->dtype));
  Value loss = binary_cross_entropy_terms(checked(x, false), checked(target, true));
  if (weight) loss = loss * weight;
  return {reduced(loss, reduction)};
}

constexpr Op kOps[] = {
    {.name = "nll_loss",
     .signature = "(Tensor input, Tensor target, Tensor? weight=None, bool? size_average=None, "
                  "int ignore_index=-100, bool? reduce=None, str reduction='mean') -> Tensor",
     .doc = "The loss of log-probabilities against class indices.",
     .example = "nn.functional.nll_loss(tensor([[-1., -2.]]), tensor([1]))",
     .by_layout = true,
     .body = nll_loss_body,
     .look = look_at_call,
     .module = "_nn"},
    {.name = "cross_entropy",
     .signature = "(Tensor input, Tensor target, Tensor? weight=None, bool? size_average=None, "
                  "int ignore_index=-100, bool? reduce=None, str reduction='mean', "
                  "float label_smoothing=0.0) -> Tensor",
     .doc = "The loss of unnormalised scores against class indices or class probabilities.",
     .example = "nn.functional.cross_entropy(tensor([[1., 2.]]), tensor([1]))",
     .by_layout = true,
     .body = cross_entropy_body,
     .look = look_at_call,
     .module = "_nn"},
    {.name = "binary_cross_entropy",
     .signature = "(Tensor input, Tensor target, Tensor? weight=None, bool? size_average=None, "
                  "bool? reduce=None, str reduction='mean') -> Tensor",
     .doc = "The loss of probabilities against targets between 0 and 1.",
     .example = "nn.functional.binary_cross_entropy(tensor([0.5]), tensor([1.]))",
     .body = binary_cross_entropy_body,
     .module = "_nn"},
    {.name = "check_probabilities",
     .doc =
         "input itself, if all of it lies between 0 and 1. The attribute says if it is the target.",
     .infer = infer_like_input,
     .kernel = run_check,
     .grad = {GRAD(g)},
     .donates = 1,
     .hidden = true},
    {.name = "nll_loss_forward",
     .doc = "nll_loss of contiguous inputs.",
     .infer = infer_nll,
     .by_layout = true,
     .kernel = run_nll,
     .grad = {GRAD(flat(nll_gradient(s, b, c), s))},
     .lift = lift_nll,
     .grad_name = "NllLossBackward0",
     .hidden = true},
    {.name = "nll_loss_backward",
     .doc = "The gradient through nll_loss.",
     .infer = infer_nll_backward,
     .kernel = run_nll_backward,
     .launches = true,
     .grad = {GRAD(nll_gradient_of_gradient(s, b, c))},
     .lift = lift_nll_backward,
     .hidden = true},
};

}  // namespace

std::span<const Op> loss_ops() { return kOps; }

}  // namespace wend
