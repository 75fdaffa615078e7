// ops/pick.cpp: how the values of max, sort, median and the like follow from their indices.
// The moving of elements is kernels/index, the gradient ops/gather.
#include "ops/batching.hpp"
#include "ops/places.hpp"

namespace wend {
namespace {

// `index` has all dimensions of the tensor, or lacks `dim`; both are of one dimension at least
// here.
Dims around(Dims strides, int dim, int index_ndim) {
  if (index_ndim == strides.n)
    strides[dim] = 0;
  else
    strides.erase(dim);
  return strides;
}

void infer_pick(Infer& s) {
  s.dtype = s.in[0]->dtype;
  s.layout = s.in[0]->ndim() == s.in[1]->ndim() ? LayoutRef(s.in[1]->layout)
                                                : contiguous(s.in[1]->sizes());
}

void run_pick(Run& s) {
  const Node &a = s.in(0), &index = s.in(1);
  const int dim = wrap_dim(s.attr(0).as_int(), a.ndim());
  const int64_t scale = a.ndim() ? a.strides()[dim] : 0;
  const Dims rest = a.ndim() ? around(Dims(a.strides()), dim, index.ndim()) : Dims{};
  pick(index.sizes(), strided(s.node), {a.data(), a.dtype, rest.span()},
       {indices(index), index.strides(), scale});
}

Value pick_gradient(const GradCall& s, const Value& index) {
  const auto sizes = s.in(0)->sizes();
  const int64_t dim = s.attr(0).as_int();
  const Value nothing = full(sizes, 0, s.g->dtype);
  if (index->ndim() == s.in(0)->ndim()) return scatter_add(nothing, dim, index, s.g);
  const int at = wrap_dim(dim, s.in(0)->ndim());
  return scatter_add(nothing, dim, unsqueeze(index, at), unsqueeze(s.g, at));
}

// The result is laid out as the places are, so that those must not lie on each other.
Value lift_pick(const Lift& s) { return s.is_shared(1) ? nullptr : lift_along<>(s); }

constexpr Op picker(const char* name, const char* grad_name) {
  return {.name = name,
          .doc = "The elements of input 0 at the places of input 1 along a dimension.",
          .infer = infer_pick,
          .kernel = run_pick,
          .grad = {GRAD(pick_gradient(s, b))},
          .lift = lift_pick,
          .grad_name = grad_name,
          .hidden = true};
}

// One entry for each name that PyTorch gives the way back.
constexpr Op kOps[] = {
    picker("max_values", "MaxBackward0"),       picker("min_values", "MinBackward0"),
    picker("median_values", "MedianBackward1"), picker("nanmedian_values", "NanmedianBackward1"),
    picker("mode_values", "ModeBackward0"),     picker("kthvalue_values", "KthvalueBackward0"),
    picker("cummax_values", "CummaxBackward0"), picker("cummin_values", "CumminBackward0"),
    picker("sort_values", "SortBackward0"),     picker("topk_values", "TopkBackward0"),
};

}  // namespace

std::span<const Op> pick_ops() { return kOps; }

Value pick(std::string_view name, const Value& a, const Value& index, int64_t dim) {
  return record(op_named(name), {a, index}, {Arg::of(dim)});
}

}  // namespace wend
