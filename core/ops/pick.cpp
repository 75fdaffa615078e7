// ops/pick.cpp: the elements at given places along a dimension, and putting values back there: how
// the values of max, sort, median and the like follow from their indices.
#include <cstring>

#include "kernels/iterate.hpp"
#include "ops/families.hpp"
#include "ops/functions.hpp"

namespace wend {
namespace {

Value place(const Value& g, const Value& index, std::span<const int64_t> sizes, int64_t dim);

// The strides of the whole over the sizes of the index, which move within all dimensions but `dim`.
Dims strides_around(std::span<const int64_t> strides, int dim, int index_ndim) {
  Dims around(strides);
  if (around.n == 0) return around;
  if (index_ndim == around.n)
    around[dim] = 0;
  else
    around.erase(dim);
  return around;
}

template <class Body>
void walk_index(const Node& index, Strided small, Strided whole, int dim, Body&& body) {
  const Dims around = strides_around(whole.strides, dim, index.ndim());
  Iteration it;
  it.begin(index.sizes());
  it.add(small.data, small.strides, index.sizes(), size_of(small.dtype));
  it.add(whole.data, around.span(), index.sizes(), size_of(whole.dtype));
  it.add(index.data(), index.strides(), index.sizes(), sizeof(int64_t));
  it.simplify();
  it.walk(0, it.outer(), [&](char** at, const int64_t* step, int64_t n) {
    for (int64_t i = 0; i < n; ++i)
      body(at[0] + i * step[0], at[1] + i * step[1],
           *reinterpret_cast<const int64_t*>(at[2] + i * step[2]));
  });
}

int64_t stride_along(const Node& whole, int dim) {
  return whole.ndim() ? whole.strides()[dim] * size_of(whole.dtype) : 0;
}

void infer_pick(Infer& s) {
  s.dtype = s.in[0]->dtype;
  s.layout = contiguous(s.in[1]->sizes());
}

template <class T>
void pick_as(Run& s, int dim) {
  const int64_t stride = stride_along(s.in(0), dim);
  walk_index(s.in(1), strided(s.node), strided(s.in(0)), dim,
             [stride](char* out, const char* in, int64_t index) {
               *reinterpret_cast<T*>(out) = *reinterpret_cast<const T*>(in + index * stride);
             });
}

void run_pick(Run& s) {
  const int dim = wrap_dim(s.attr(0).as_int(), s.in(0).ndim());
  switch (size_of(s.node.dtype)) {
    case 1:
      return pick_as<uint8_t>(s, dim);
    case 2:
      return pick_as<uint16_t>(s, dim);
    case 4:
      return pick_as<uint32_t>(s, dim);
    default:
      return pick_as<uint64_t>(s, dim);
  }
}

void infer_place(Infer& s) {
  s.dtype = s.in[0]->dtype;
  s.layout = contiguous(s.attrs[0].as_ints());
}

template <class T>
void place_as(Run& s, int dim) {
  const int64_t stride = stride_along(s.node, dim);
  std::memset(s.out(), 0, s.node.numel() * sizeof(T));
  if (s.in(0).numel() == 0) return;
  walk_index(s.in(1), strided(s.in(0)), strided(s.node), dim,
             [stride](const char* in, char* out, int64_t index) {
               *reinterpret_cast<T*>(out + index * stride) += *reinterpret_cast<const T*>(in);
             });
}

void run_place(Run& s) {
  const int dim = wrap_dim(s.attr(1).as_int(), s.node.ndim());
  s.node.dtype == DType::float64 ? place_as<double>(s, dim) : place_as<float>(s, dim);
}

Value pick_gradient(const GradCall& s, const Value& index) {
  return place(s.g, index, s.in(0)->sizes(), s.attr(0).as_int());
}

constexpr Op picker(const char* name, const char* grad_name) {
  return {.name = name,
          .doc = "The elements of input 0 at the places of input 1 along a dimension.",
          .infer = infer_pick,
          .kernel = run_pick,
          .grad = {GRAD(pick_gradient(s, b))},
          .grad_name = grad_name,
          .hidden = true};
}

constexpr Op kOps[] = {
    picker("picked", "GatherBackward0"),
    picker("max_values", "MaxBackward0"),
    picker("min_values", "MinBackward0"),
    picker("median_values", "MedianBackward1"),
    picker("nanmedian_values", "NanmedianBackward1"),
    picker("mode_values", "ModeBackward0"),
    picker("kthvalue_values", "KthvalueBackward0"),
    picker("cummax_values", "CummaxBackward0"),
    picker("cummin_values", "CumminBackward0"),
    picker("sort_values", "SortBackward0"),
    picker("topk_values", "TopkBackward0"),
    {.name = "placed",
     .doc = "Zeros, to which input 0 is added at the places of input 1 along a dimension.",
     .infer = infer_place,
     .kernel = run_place,
     .grad = {GRAD(pick("picked", g, b, s.attr(1).as_int()))},
     .grad_name = "ScatterAddBackward0",
     .hidden = true},
};

Value place(const Value& g, const Value& index, std::span<const int64_t> sizes, int64_t dim) {
  if (is_half(g->dtype)) return place(cast(g, DType::float32), index, sizes, dim);
  return record(op_named("placed"), {g, index}, {Arg::of(sizes), Arg::of(dim)});
}

}  // namespace

std::span<const Op> pick_ops() { return kOps; }

Value pick(std::string_view name, const Value& a, const Value& index, int64_t dim) {
  return record(op_named(name), {a, index}, {Arg::of(dim)});
}

}  // namespace wend
