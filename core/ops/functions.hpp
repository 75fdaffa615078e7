// ops/functions.hpp: ops as C++ functions, for gradients and composites.
// Elementwise ones come from the list itself; the others are defined with their family.
#pragma once

#include "graph/record.hpp"

namespace wend {

// A number for an operand adapts to the dtype of the others, as a Python number does.
#define ELEMENTWISE_FUNCTION_1(name) Value name(const Value& a);
#define ELEMENTWISE_FUNCTION_2(name) Value name(const Value& a, const Value& b);
#define ELEMENTWISE_FUNCTION_3(name) Value name(const Value& a, const Value& b, const Value& c);
#define ELEMENTWISE_FUNCTION_4(name) \
  Value name(const Value& a, const Value& b, const Value& c, const Value& d);
#define ELEMENTWISE(name, arity, ...) ELEMENTWISE_FUNCTION_##arity(name)
#include "kernels/elementwise.def"
#undef ELEMENTWISE

inline Value operator+(const Value& a, const Value& b) { return add(a, b); }
inline Value operator-(const Value& a, const Value& b) { return sub(a, b); }
inline Value operator*(const Value& a, const Value& b) { return mul(a, b); }
inline Value operator/(const Value& a, const Value& b) { return div(a, b); }
inline Value operator-(const Value& a) { return neg(a); }

// PyTorch's result_type of the operands.
DType result_type(std::span<const Value> in);
// The sizes that all operands broadcast to; raises PyTorch's error when they do not.
Dims broadcast_sizes(std::span<const Value> in);

// create
Value full(std::span<const int64_t> sizes, const Value& fill, DType dtype);
Value full_like(const Value& like, const Value& fill);
Value full_like(const Value& like, const Value& fill, DType dtype);
Value zeros_like(const Value& like);
Value ones_like(const Value& like);
// Whether a Python number can be stored as `dtype`; raises PyTorch's error where it cannot.
bool fits(int64_t v, DType dtype);
bool fits(double v, DType dtype);
void check_fits(const Node& number, DType dtype);

// copy
Value cast(const Value& a, DType dtype);
// A contiguous copy in row-major order (or the same strides where they are dense).
Value clone(const Value& a);
Value contiguous_copy(const Value& a);
// The value that `to` has after it was written with `from`, broadcast and converted.
Value copied_over(const Value& to, const Value& from);
// `a` laid out in memory exactly so; itself if it is.
Value with_layout(const Value& a, const Layout* layout);
// The layout that a copy of a tensor gets: the same order of dimensions in memory, without gaps.
LayoutRef dense_like(const Layout& layout);
// The layout that a copy gets when a memory_format argument is given; none preserves the order.
LayoutRef in_format(const Layout& layout, const Arg& format);
// A valued node with its own copy of a valued node's whole storage.
Value own_copy(const Node& node);
// A valued node whose storage begins with that of a valued node and goes on with zeros.
Value longer_copy(const Node& node, size_t bytes);
// Writes `value`, cast and broadcast, into the part of `storage` that `where` describes, now.
void copy_into(Buffer* storage, const Node& where, const Node& value);

// view
Value as_strided(const Value& a, std::span<const int64_t> sizes, std::span<const int64_t> strides,
                 int64_t offset);
Value as_strided_scatter(const Value& whole, const Value& part, std::span<const int64_t> sizes,
                         std::span<const int64_t> strides, int64_t offset);
Value alias(const Value& a);
Value alias_without_grad(const Value& a);
// The value of `a` for somebody who lives no longer than `a`, which must not hold itself.
Value held(const Value& a);
// The value of `value` with the gradient history of `history`.
Value rebind(const Value& value, const Value& history);
// The gradient of an input, from which PyTorch's op of the way back gives that input zeros. The
// formula alone does not mention the input, or only to compare it, so it would give nothing.
Value flat(const Value& gradient, const GradCall& s);
// An input of a composite that PyTorch has such an op for.
Value linear_in(const Value& a);
// The formula of an op that PyTorch has none for; it depends on the op what PyTorch says.
[[noreturn]] Value no_derivative(const char* of);
[[noreturn]] Value no_formula(const char* of);
Value view(const Value& a, std::span<const int64_t> sizes);  // raises where it cannot alias
Value reshape(const Value& a, std::span<const int64_t> sizes);
Value expand(const Value& a, std::span<const int64_t> sizes);
Value permute(const Value& a, std::span<const int64_t> dims);
Value transpose(const Value& a, int64_t dim0, int64_t dim1);
Value select(const Value& a, int64_t dim, int64_t index);
Value slice(const Value& a, int64_t dim, int64_t start, int64_t end, int64_t step = 1);
// `a` in the first corner of a tensor of these sizes that is 0 elsewhere.
Value pad_to(const Value& a, std::span<const int64_t> sizes);
Value unsqueeze(const Value& a, int64_t dim);
Value squeeze(const Value& a, std::span<const int64_t> dims);
Value diagonal(const Value& a, int64_t offset, int64_t dim1, int64_t dim2);

// rearrange
Value flip(const Value& a, std::span<const int64_t> dims);
Value roll(const Value& a, int64_t shift, int64_t dim);

// reduce; an empty list of dims means all of them
Value sum(const Value& a);
Value sum(const Value& a, std::span<const int64_t> dims, bool keepdim);
Value mean(const Value& a, std::span<const int64_t> dims, bool keepdim);
Value amax(const Value& a, std::span<const int64_t> dims, bool keepdim);
Value argmax(const Value& a, int64_t dim, bool keepdim);
// Sums away what broadcasting added, so that the result has these sizes.
Value sum_to(const Value& a, std::span<const int64_t> sizes);

// scan
// For each element the product of the others along `dim`.
Value product_of_others(const Value& a, int64_t dim);

// pick
// The elements of `a` at `index` along `dim`: one for each place of `index`, which has all
// dimensions of `a` or lacks `dim`. `name` is the entry whose name the way back bears.
Value pick(std::string_view name, const Value& a, const Value& index, int64_t dim);

// index
// One index for each dimension of `a`, empty where the whole dimension is meant.
Value index(const Value& a, std::span<const Value> indices);
Value index_put(const Value& a, std::span<const Value> indices, const Value& values,
                bool accumulate);
// The positions of the elements that are not zero: a row for each, or a list for each dimension.
// Both read how many there are; the second takes a tensor without dimensions as a list of one.
Value nonzero(const Value& a);
Values nonzero_indices(const Value& a);
Value masked_fill(const Value& a, const Value& mask, const Value& value);
// Along one dimension: `by` has as many dimensions as `a` (gather, scatter) or one (index_...).
Value gather(const Value& a, int64_t dim, const Value& by);
Value scatter(const Value& a, int64_t dim, const Value& by, const Value& source);
Value scatter_add(const Value& a, int64_t dim, const Value& by, const Value& source);
Value index_select(const Value& a, int64_t dim, const Value& by);
Value index_add(const Value& a, int64_t dim, const Value& by, const Value& source);
Value index_fill(const Value& a, int64_t dim, const Value& by, const Value& value);

// join
Value cat(std::span<const Value> parts, int64_t dim);
Value stack(std::span<const Value> parts, int64_t dim);

// random
// 1 with the given probability, else 0, with the sizes and dtype of `like`.
Value bernoulli_like(const Value& like, double probability);

// nn
Value log_softmax(const Value& a, int64_t dim);

// matmul
Value mm(const Value& a, const Value& b);
Value matmul(const Value& a, const Value& b);
Value matmul(std::span<Value, 2> in);  // the same of operands that may be moved from

inline Value view(const Value& a, const Dims& d) { return view(a, d.span()); }
inline Value reshape(const Value& a, const Dims& d) { return reshape(a, d.span()); }
inline Value expand(const Value& a, const Dims& d) { return expand(a, d.span()); }
inline Value permute(const Value& a, const Dims& d) { return permute(a, d.span()); }
inline Value sum(const Value& a, const Dims& d, bool keepdim) { return sum(a, d.span(), keepdim); }
inline Value mean(const Value& a, const Dims& d, bool keepdim) {
  return mean(a, d.span(), keepdim);
}
inline Value amax(const Value& a, const Dims& d, bool keepdim) {
  return amax(a, d.span(), keepdim);
}

}  // namespace wend
