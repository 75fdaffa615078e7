// ops/rearrange.cpp: copies of a tensor's elements in another arrangement: mirrored, rotated,
// repeated, triangles and diagonals.
#include <algorithm>
#include <cstring>

#include "base/checked.hpp"
#include "base/threads.hpp"
#include "graph/read.hpp"
#include "ops/batching.hpp"
#include "ops/geometry.hpp"

namespace wend {
namespace {

uint64_t distinct_dims(std::span<const int64_t> dims, int ndim) {
  uint64_t mask = 0;
  for (int64_t d : dims) {
    const int i = wrap_dim(d, ndim);
    if (mask >> i & 1)
      fail(ErrorKind::runtime, "dim ", i, " appears multiple times in the list of dims");
    mask |= uint64_t{1} << i;
  }
  return mask;
}

void infer_flip(Infer& s) {
  distinct_dims(s.attrs[0].as_ints(), s.in[0]->ndim());
  s.dtype = s.in[0]->dtype;
  s.layout = dense_like(*s.in[0]->layout);
}

// A copy that walks the input from its other end.
void run_flip(Run& s) {
  const Node& in = s.in(0);
  const uint64_t mask = distinct_dims(s.attr(0).as_ints(), in.ndim());
  Dims strides(in.strides());
  int64_t start = 0;
  for (int i = 0; i < in.ndim(); ++i) {
    if (!(mask >> i & 1)) continue;
    start += (in.size(i) - 1) * strides[i];
    strides[i] = -strides[i];
  }
  copy(in.sizes(), strided(s.node),
       {in.data() + start * size_of(in.dtype), in.dtype, strides.span()});
}

// Attributes: the dimension, and how far, from 0 to its size.
void infer_roll(Infer& s) {
  s.dtype = s.in[0]->dtype;
  s.layout = contiguous(s.in[0]->sizes());
}

void run_roll(Run& s) {
  const Node &in = s.in(0), &out = s.node;
  const int dim = static_cast<int>(s.attr(0).as_int());
  const int64_t shift = s.attr(1).as_int(), element = size_of(in.dtype);
  const int64_t rest = in.size(dim) - shift;
  auto move = [&](int64_t from, int64_t to, int64_t length) {
    Dims sizes(in.sizes());
    sizes[dim] = length;
    if (length)
      copy(sizes.span(),
           {s.out() + to * out.layout->stride(dim) * element, out.dtype, out.strides()},
           {in.data() + from * in.layout->stride(dim) * element, in.dtype, in.strides()});
  };
  move(0, shift, rest);
  move(rest, 0, shift);
}

void infer_triangle(Infer& s) {
  if (s.in[0]->ndim() < 2)
    fail(ErrorKind::runtime, s.op.name, ": input tensor must have at least 2 dimensions");
  s.dtype = s.in[0]->dtype;
  s.layout = contiguous(s.in[0]->sizes());
}

template <bool kLower>
void run_triangle(Run& s) {
  if (s.node.numel() == 0) return;
  const int ndim = s.node.ndim();
  const int64_t rows = s.node.size(ndim - 2), columns = s.node.size(ndim - 1);
  const int64_t element = size_of(s.node.dtype), diagonal = s.attr(0).as_int();
  if (!s.donated(0)) copy(s.node.sizes(), strided(s.node), strided(s.in(0)));
  parallel_for(s.node.numel() / columns, std::max<int64_t>(1, 65536 / columns),
               [&](int64_t begin, int64_t end) {
                 for (int64_t r = begin; r < end; ++r) {
                   const int64_t on = clamped_add(r % rows + kLower, diagonal);
                   const int64_t edge = std::clamp<int64_t>(on, 0, columns);
                   char* row = s.out() + r * columns * element;
                   if (kLower)
                     std::memset(row + edge * element, 0, (columns - edge) * element);
                   else
                     std::memset(row, 0, edge * element);
                 }
               });
}

Value triangle(const char* name, const Value& a, int64_t diagonal) {
  return record(op_named(name), {a}, {Arg::of(diagonal)});
}

Values body_fliplr(Call& c) {
  if (c.tensor(0)->ndim() < 2) fail(ErrorKind::runtime, "Input must be >= 2-d.");
  return {flip(c.tensor(0), Dims{1}.span())};
}
Values body_flipud(Call& c) {
  if (c.tensor(0)->ndim() < 1) fail(ErrorKind::runtime, "Input must be >= 1-d.");
  return {flip(c.tensor(0), Dims{0}.span())};
}

Values body_roll(Call& c) {
  Value a = c.tensor(0);
  const auto shifts = c[1].as_ints(), dims = c[2].as_ints();
  if (shifts.empty()) fail(ErrorKind::runtime, "`shifts` required");
  if (shifts.size() == 1 && dims.empty())
    return {reshape(roll(reshape(a, Dims{-1}), shifts[0], 0), a->sizes())};
  if (shifts.size() != dims.size())
    fail(ErrorKind::runtime, "shifts and dimensions must align. shifts: ", shifts.size(),
         ", dims:", dims.size());
  if (a->ndim() == 0)
    fail(ErrorKind::index, "Dimension specified as ", dims[0], " but tensor has no dimensions");
  for (size_t i = 0; i < dims.size(); ++i) a = roll(a, shifts[i], dims[i]);
  return {a};
}

Values body_rot90(Call& c) {
  const Value a = c.tensor(0);
  const auto dims = c[2].as_ints();
  if (dims.size() != 2)
    fail(ErrorKind::runtime, "expected total rotation dims == 2, but got dims = ", dims.size());
  if (a->ndim() < 2)
    fail(ErrorKind::runtime, "expected total dims >= 2, but got total dims = ", a->ndim());
  const int64_t i = wrap_dim(dims[0], a->ndim()), j = wrap_dim(dims[1], a->ndim());
  if (i == j)
    fail(ErrorKind::runtime, "expected rotation dims to be different, but got dim0 = ", dims[0],
         " and dim1 = ", dims[1]);
  switch ((c[1].as_int() % 4 + 4) % 4) {
    case 1:
      return {transpose(flip(a, Dims{j}.span()), i, j)};
    case 2:
      return {flip(a, Dims{i, j}.span())};
    case 3:
      return {transpose(flip(a, Dims{i}.span()), i, j)};
    default:
      return {contiguous_copy(a)};
  }
}

// Each dimension in turn as `repeats` runs over it, or each element in a row where `inner`: a copy
// of the input with dimensions of size 1 put in, and those expanded. Dimensions of size 1 that are
// not repeated are left out, so that what is left has room.
struct Repeats {
  Dims strides, wide, together;
  uint64_t added = 0;  // bit i: dimension i of `wide` was put in

  Repeats(const Layout& in, std::span<const int64_t> repeats, bool inner) {
    const int lead = static_cast<int>(repeats.size()) - in.ndim;
    for (int i = 0; i < static_cast<int>(repeats.size()); ++i) {
      const int64_t size = i < lead ? 1 : in.size(i - lead);
      together.push(checked_mul(size, repeats[i]));
    }
    if (std::ranges::find(together, 0) != together.end()) return;
    for (int i = 0; i < together.n; ++i) {
      const int64_t size = i < lead ? 1 : in.size(i - lead);
      if (!inner && repeats[i] != 1) put_in(repeats[i]);
      if (size != 1) {
        wide.push(size);
        strides.push(in.stride(i - lead));
      }
      if (inner && repeats[i] != 1) put_in(repeats[i]);
    }
  }

 private:
  void put_in(int64_t times) {
    added |= uint64_t{1} << wide.n;
    wide.push(times);
    strides.push(0);
  }
};

Repeats repeats_of(const Node& node) {
  return Repeats(*node.inputs[0]->layout, node.attr(0).as_ints(), node.attr(1).as_bool());
}

// Attributes: how often each dimension is repeated, and whether each element is, in a row.
void infer_repeat(Infer& s) {
  s.dtype = s.in[0]->dtype;
  const Repeats r(*s.in[0]->layout, s.attrs[0].as_ints(), s.attrs[1].as_bool());
  const auto negative = std::ranges::find_if(r.together, [](int64_t n) { return n < 0; });
  if (negative != r.together.end())
    fail(ErrorKind::runtime, "Trying to create tensor with negative dimension ", *negative, ": ",
         show(r.together));
  s.layout = contiguous(r.together);
}

void run_repeat(Run& s) {
  if (s.node.numel() == 0) return;
  const Repeats r = repeats_of(s.node);
  const Dims rows = contiguous_strides(r.wide.span());
  copy(r.wide.span(), {s.out(), s.node.dtype, rows.span()},
       {s.in(0).data(), s.node.dtype, r.strides.span()});
}

Value repeat_gradient(const GradCall& s) {
  const auto sizes = s.in(0)->sizes();
  if (s.g->numel() == 0) return full(sizes, 0, s.g->dtype);
  const Repeats r = repeats_of(s.node());
  Dims added;
  for (int i = 0; i < r.wide.n; ++i)
    if (r.added >> i & 1) added.push(i);
  const Value apart = reshape(s.g, r.wide);
  return reshape(added.n ? sum(apart, added.span(), false) : apart, sizes);
}

Value repeated(const Value& a, std::span<const int64_t> repeats, bool inner) {
  return record(op_named("repeated"), {a}, {Arg::of(repeats), Arg::of(inner)});
}

Values body_repeat(Call& c) {
  const Value a = c.tensor(0);
  const auto repeats = c[1].as_ints();
  if (static_cast<int>(repeats.size()) < a->ndim())
    fail(ErrorKind::runtime,
         "Number of dimensions of repeat dims can not be smaller than number of dimensions of "
         "tensor");
  return {repeated(a, repeats, false)};
}

Values body_tile(Call& c) {
  const Value a = c.tensor(0);
  Dims repeats(c[1].as_ints());
  while (repeats.n < a->ndim()) repeats.insert(0, 1);
  return {repeated(a, repeats.span(), false)};
}

Values body_repeat_interleave(Call& c) {
  Value a = c.tensor(0);
  if (c[1].as_int() < 0) fail(ErrorKind::runtime, "Repeats must be non-negative");
  if (c[2].is_none()) a = reshape(a, Dims{-1});
  const int dim = c[2].is_none() ? 0 : wrap_dim(c[2].as_int(), a->ndim());
  if (a->ndim() == 0) a = reshape(a, Dims{1});
  Dims repeats(a->sizes());
  std::ranges::fill(repeats, 1);
  repeats[dim] = c[1].as_int();
  const int64_t total = checked_mul(a->size(dim), repeats[dim]);
  if (!c[3].is_none() && c[3].as_int() != total)
    fail(ErrorKind::runtime, "repeat_interleave: Invalid output_size, expected ", total,
         " but got ", c[3].as_int());
  return {repeated(a, repeats.span(), true)};
}

// 0 once or as often as the first number says, then 1, and so on.
Value interleaved_indices(const Value& repeats, const Arg& output_size) {
  if (repeats->ndim() != 1)
    fail(ErrorKind::runtime, "repeat_interleave only accept 1D vector as repeat");
  if (repeats->numel() == 0) return clone(repeats);
  if (repeats->dtype != DType::int64 && repeats->dtype != DType::int32)
    fail(ErrorKind::not_implemented, "\"repeat_interleave_cpu\" not implemented for '",
         scalar_type_name(repeats->dtype), "'");
  const Value list = contiguous_copy(cast(repeats, DType::int64));
  read_bytes(list);
  const int64_t n = list->numel();
  const auto* times = n ? reinterpret_cast<const int64_t*>(list->data()) : nullptr;
  int64_t total = 0;
  for (int64_t i = 0; i < n; ++i) {
    if (times[i] < 0) fail(ErrorKind::runtime, "repeats can not be negative");
    total = checked_add(total, times[i]);
  }
  if (!output_size.is_none() && output_size.as_int() != total)
    fail(ErrorKind::runtime, "allocated size does not match required size");
  const LayoutRef layout = contiguous(Dims{total});
  BufferRef buffer = allocate(total * sizeof(int64_t));
  auto* out = reinterpret_cast<int64_t*>(buffer->data);
  for (int64_t i = 0; i < n; ++i) out = std::fill_n(out, times[i], i);
  static const Op& op = op_named("computed");
  return from_buffer(op, std::move(buffer), DType::int64, layout.get());
}

Values body_repeat_each(Call& c) {
  Value a = c.tensor(0), repeats = c.tensor(1);
  if (c[2].is_none()) a = reshape(a, Dims{-1});
  if (a->ndim() == 0)
    fail(ErrorKind::index, "Dimension specified as ", c[2].as_int(),
         " but tensor has no dimensions");
  const int dim = c[2].is_none() ? 0 : wrap_dim(c[2].as_int(), a->ndim());
  if (repeats->ndim() > 1) fail(ErrorKind::runtime, "repeats must be 0-dim or 1-dim tensor");
  const int64_t size = a->size(dim);
  if (repeats->numel() == 1)
    repeats = expand(reshape(repeats, Dims{1}), Dims{size});
  else if (repeats->numel() != size)
    fail(ErrorKind::runtime,
         "repeats must have the same size as input along dim, but got repeats.size(0) = ",
         repeats->numel(), " and input.size(", dim, ") = ", size);
  return {index_select(a, dim, interleaved_indices(repeats, c[3]))};
}

Values body_repeat_count(Call& c) { return {interleaved_indices(c.tensor(0), c[1])}; }

Value diag_embed(const Value& a, int64_t offset, int64_t dim1, int64_t dim2) {
  const int i = wrap_dim(dim1, a->ndim() + 1), j = wrap_dim(dim2, a->ndim() + 1);
  if (i == j)
    fail(ErrorKind::runtime, "diagonal dimensions cannot be identical ", dim1, ", ", dim2);
  static const Op& diagonal_op = op_named("diagonal");
  Dims sizes(a->sizes());
  const int64_t side = checked(Wide{sizes[sizes.n - 1]} + (offset < 0 ? -Wide{offset} : offset));
  sizes.erase(sizes.n - 1);
  sizes.insert(std::min(i, j), side);
  sizes.insert(std::max(i, j), side);
  const Arg attrs[] = {Arg::of(offset), Arg::of(i), Arg::of(j)};
  const ViewGeometry part = geometry_in_rows(diagonal_op, a->dtype, sizes.span(), attrs);
  return placed(a, *part.layout, part.offset, *contiguous(sizes));
}

Values body_diag_embed(Call& c) {
  return {diag_embed(c.tensor(0), c[1].as_int(), c[2].as_int(), c[3].as_int())};
}

Values body_diag(Call& c) {
  const Value a = c.tensor(0);
  if (a->ndim() == 1) return {diag_embed(a, c[1].as_int(), 0, 1)};
  if (a->ndim() != 2)
    fail(ErrorKind::runtime, "diag(): Supports 1D or 2D tensors. Got ", a->ndim(), "D");
  return {contiguous_copy(diagonal(a, c[1].as_int(), 0, 1))};
}

Values body_diagflat(Call& c) {
  return {diag_embed(reshape(c.tensor(0), Dims{-1}), c[1].as_int(), 0, 1)};
}

Values body_trace(Call& c) {
  const Value a = c.tensor(0);
  if (a->ndim() != 2)
    fail(ErrorKind::runtime, "trace: expected a matrix, but got tensor with dim ", a->ndim());
  if (a->dtype == DType::bool_)
    fail(ErrorKind::not_implemented, "\"trace\" not implemented for 'Bool'");
  return {sum(diagonal(a, 0, 0, 1), Dims{}, false)};
}

// Where row r of a triangle begins and ends.
struct Segment {
  int64_t begin, end;
};
Segment segment(bool lower, int64_t row, int64_t columns, int64_t offset) {
  const int64_t edge = std::clamp<int64_t>(clamped(Wide{row} + offset + lower), 0, columns);
  return lower ? Segment{0, edge} : Segment{edge, columns};
}

// How many elements the lower triangle has: rows that end before the last column, then full ones.
Wide lower_count(int64_t rows, int64_t columns, Wide offset) {
  const Wide first = std::clamp<Wide>(-offset, 0, rows);                  // the first not empty
  const Wide full = std::clamp<Wide>(columns - 1 - offset, first, rows);  // the first full
  const Wide n = full - first;
  // Their lengths go up by 1 from first + offset + 1. Neither factor is more than 2**64.
  const Wide ends = 2 * (first + offset + 1) + n - 1;
  const Wide partial = n % 2 ? n * (ends / 2) : n / 2 * ends;
  return partial + (rows - full) * columns;
}

Values triangle_indices(Call& c, bool lower) {
  const int64_t rows = c[0].as_int(), columns = c[1].as_int(), offset = c[2].as_int();
  if (rows < 0) fail(ErrorKind::runtime, "row must be non-negative, got", rows);
  if (columns < 0) fail(ErrorKind::runtime, "col must be non-negative, got", columns);
  const DType dtype = c[3].as_dtype(DType::int64);
  if (dtype != DType::int64 && dtype != DType::int32)
    fail(ErrorKind::not_implemented, "\"", c.op.name, "\" not implemented for '",
         scalar_type_name(dtype), "'");
  // The upper triangle is what the lower one of the diagonal before leaves.
  const Wide below = lower_count(rows, columns, lower ? offset : Wide{offset} - 1);
  const int64_t total = checked(lower ? below : Wide{rows} * columns - below);
  const LayoutRef layout = contiguous(Dims{2, total});
  BufferRef buffer = allocate(2 * total * sizeof(int64_t));
  auto *row = reinterpret_cast<int64_t*>(buffer->data), *column = row + total;
  // Rows that have no element may be more than can be gone through.
  const int64_t first = lower ? clamped(std::clamp<Wide>(-Wide{offset}, 0, rows)) : 0;
  const int64_t end = lower ? rows : clamped(std::clamp<Wide>(Wide{columns} - offset, 0, rows));
  for (int64_t r = first; r < end && total; ++r) {
    const Segment s = segment(lower, r, columns, offset);
    for (int64_t j = s.begin; j < s.end; ++j) *row++ = r, *column++ = j;
  }
  static const Op& op = op_named("computed");
  return {cast(from_buffer(op, std::move(buffer), DType::int64, layout.get()), dtype)};
}

Values body_argwhere(Call& c) { return {nonzero(c.tensor(0))}; }

constexpr const char* kTriangleIndices =
    "(int row, int col, int offset=0, *, dtype? dtype=None, layout? layout=None, "
    "device? device=None, pin_memory pin_memory=False) -> Tensor";

Value lift_flip(const Lift& s) { return s.like.attr(0).n ? lift_over<>(s) : nullptr; }

constexpr Op kOps[] = {
    {.name = "flip",
     .signature = "(Tensor input, int[] dims) -> Tensor",
     .doc = "The elements in the opposite order along each of the dims.",
     .example = "flip(arange(4), (0,))",
     .infer = infer_flip,
     .kernel = run_flip,
     .grad = {GRAD(flip(g, s.attr(0).as_ints()))},
     .lift = lift_flip,
     .out = false},
    {.name = "fliplr",
     .signature = "(Tensor input) -> Tensor",
     .doc = "The columns in the opposite order.",
     .example = "fliplr(arange(4).view(2, 2))",
     .body = body_fliplr,
     .out = false},
    {.name = "flipud",
     .signature = "(Tensor input) -> Tensor",
     .doc = "The rows in the opposite order.",
     .example = "flipud(arange(4).view(2, 2))",
     .body = body_flipud,
     .out = false},
    {.name = "rolled",
     .doc = "Elements moved on along one dimension; those that fall off come in again.",
     .infer = infer_roll,
     .kernel = run_roll,
     .grad = {GRAD(roll(g, -s.attr(1).as_int(), s.attr(0).as_int()))},
     .lift = lift_along<>,
     .grad_name = "RollBackward0",
     .hidden = true},
    {.name = "roll",
     .signature = "(Tensor input, int[1] shifts, int[1] dims=[]) -> Tensor",
     .doc = "Elements moved on by shifts along dims; those that fall off come in again.",
     .example = "roll(arange(4), 1)",
     .body = body_roll,
     .out = false},
    {.name = "rot90",
     .signature = "(Tensor input, int k=1, int[] dims=[0, 1]) -> Tensor",
     .doc = "k quarter turns from the first of the dims towards the second.",
     .example = "rot90(arange(4).view(2, 2))",
     .body = body_rot90,
     .out = false},
    {.name = "repeated",
     .doc = "Copies of the tensor side by side, or of each element in a row.",
     .infer = infer_repeat,
     .kernel = run_repeat,
     .grad = {GRAD(repeat_gradient(s))},
     .grad_name = "RepeatBackward0",
     .hidden = true},
    {.name = "repeat",
     .signature = "(Tensor input, int[] repeats) -> Tensor",
     .doc = "Copies of the tensor side by side along each dimension.",
     .example = "arange(2).repeat(2, 2)",
     .body = body_repeat,
     .function = false},
    {.name = "tile",
     .signature = "(Tensor input, int[] dims) -> Tensor",
     .doc = "Copies of the tensor side by side; missing counts are 1.",
     .example = "tile(arange(2), (3,))",
     .body = body_tile,
     .out = false},
    {.name = "repeat_interleave",
     .signature =
         "(Tensor input, Tensor repeats, int? dim=None, *, int? output_size=None) -> Tensor",
     .doc = "Each element, or slice along dim, repeats times in a row.",
     .example = "repeat_interleave(arange(3), 2)",
     .body = body_repeat_each,
     .out = false},
    {.name = "repeat_interleave",
     .signature = "(Tensor input, int repeats, int? dim=None, *, int? output_size=None) -> Tensor",
     .body = body_repeat_interleave,
     .out = false},
    {.name = "repeat_interleave",
     .signature = "(Tensor repeats, *, int? output_size=None) -> Tensor",
     .body = body_repeat_count,
     .out = false},
    {.name = "tril",
     .signature = "(Tensor input, int diagonal=0) -> Tensor",
     .doc = "Each matrix with zeros above a diagonal.",
     .example = "tril(ones(3, 3))",
     .infer = infer_triangle,
     .kernel = run_triangle<true>,
     .grad = {GRAD(triangle("tril", g, s.attr(0).as_int()))},
     .lift = lift_rows,
     .donates = 1,
     .inplace = true},
    {.name = "triu",
     .signature = "(Tensor input, int diagonal=0) -> Tensor",
     .doc = "Each matrix with zeros below a diagonal.",
     .example = "triu(ones(3, 3))",
     .infer = infer_triangle,
     .kernel = run_triangle<false>,
     .grad = {GRAD(triangle("triu", g, s.attr(0).as_int()))},
     .lift = lift_rows,
     .donates = 1,
     .inplace = true},
    {.name = "tril_indices",
     .signature = kTriangleIndices,
     .doc = "Rows and columns of the elements that tril keeps.",
     .example = "tril_indices(2, 2)",
     .body = [](Call& c) { return triangle_indices(c, true); },
     .method = false,
     .out = false},
    {.name = "triu_indices",
     .signature = kTriangleIndices,
     .doc = "Rows and columns of the elements that triu keeps.",
     .example = "triu_indices(2, 2)",
     .body = [](Call& c) { return triangle_indices(c, false); },
     .method = false,
     .out = false},
    {.name = "diag",
     .signature = "(Tensor input, int diagonal=0) -> Tensor",
     .doc = "The matrix with a vector on its diagonal, or the diagonal of a matrix.",
     .example = "diag(tensor([1., 2.]))",
     .body = body_diag},
    {.name = "diag_embed",
     .signature = "(Tensor input, int offset=0, int dim1=-2, int dim2=-1) -> Tensor",
     .doc = "Matrices with the last dimension of input on their diagonals.",
     .example = "diag_embed(ones(2, 2))",
     .body = body_diag_embed,
     .out = false},
    {.name = "diagflat",
     .signature = "(Tensor input, int offset=0) -> Tensor",
     .doc = "The matrix with all elements on its diagonal.",
     .example = "diagflat(tensor([1., 2.]))",
     .body = body_diagflat,
     .out = false},
    {.name = "trace",
     .signature = "(Tensor input) -> Tensor",
     .doc = "The sum of a matrix's diagonal.",
     .example = "trace(ones(3, 3))",
     .body = body_trace,
     .out = false},
    {.name = "argwhere",
     .signature = "(Tensor input) -> Tensor",
     .doc = "The positions of the elements that are not zero, one in each row.",
     .example = "argwhere(tensor([0., 3., 0., 5.]))",
     .body = body_argwhere,
     .out = false},
};

}  // namespace

std::span<const Op> rearrange_ops() { return kOps; }

Value flip(const Value& a, std::span<const int64_t> dims) {
  static const Op& op = op_named("flip");
  return record(op, {a}, {Arg::of(dims)});
}

Value roll(const Value& a, int64_t shift, int64_t asked) {
  static const Op& op = op_named("rolled");
  const int64_t dim = wrap_dim(asked, a->ndim());
  const int64_t size = std::max<int64_t>(a->size(static_cast<int>(dim)), 1);
  return record(op, {a}, {Arg::of(dim), Arg::of((shift % size + size) % size)});
}

}  // namespace wend
