// ops/batching.cpp: the ops that batches are made of: rows of other batches put one behind the
// other, views of all members at once, gradients of rows put together.
// What runs as a batch is exec/group; how an op does is its own entry's `lift`.
#include "ops/batching.hpp"

#include <algorithm>
#include <cstring>

#include "base/threads.hpp"
#include "kernels/elementwise.hpp"
#include "kernels/index.hpp"
#include "ops/families.hpp"
#include "ops/functions.hpp"
#include "ops/geometry.hpp"

namespace wend {
namespace {

// Attribute 0: the first row.
void infer_rows(Infer& s) {
  const Node& in = *s.in[0];
  Dims sizes(in.sizes());
  sizes[0] = s.attrs[1].as_int();
  set_geometry(s, sizes.span(), in.strides(),
               in.offset + s.attrs[0].as_int() * in.layout->stride(0));
}

// Attributes: sizes of the result; for each of its rows the source, and the row there, or -1 where
// the whole source is one.
void infer_gathered(Infer& s) {
  s.dtype = s.in[0]->dtype;
  s.layout = contiguous(s.attrs[0].as_ints());
}

// Sizes and strides of one row, and where row r lies.
struct RowsOf {
  const Node& node;
  bool whole;  // the node is one row
  std::span<const int64_t> strides() const {
    return whole ? node.strides() : node.strides().subspan(1);
  }
  char* at(int64_t row) const {
    return whole ? node.data() : node.data() + row * node.layout->stride(0) * size_of(node.dtype);
  }
};

bool row_major(std::span<const int64_t> sizes, std::span<const int64_t> strides) {
  int64_t step = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    if (sizes[i] != 1 && strides[i] != step) return false;
    step *= sizes[i];
  }
  return true;
}

bool have_no_gaps(const Node& node) {
  return std::ranges::all_of(node.in(), [&](const Value& in) {
    const RowsOf source{*in, in->ndim() < node.ndim()};
    return row_major(node.sizes().subspan(1), source.strides());
  });
}

bool rows_of_gathered(const Node& node, char** begins) {
  if (!begins) return have_no_gaps(node);
  const auto from = node.attr(1).as_ints(), row = node.attr(2).as_ints();
  for (size_t i = 0; i < from.size(); ++i)
    begins[i] = RowsOf{*node.inputs[from[i]], row[i] < 0}.at(row[i]);
  return true;
}

void run_gathered(Run& s) {
  constexpr int64_t kGrain = 256 << 10;  // bytes that are worth another thread
  const auto from = s.attr(1).as_ints(), row = s.attr(2).as_ints();
  const auto sizes = s.node.sizes().subspan(1);
  const Dims strides = contiguous_strides(sizes);
  const int64_t bytes = s.node.layout->stride(0) * size_of(s.node.dtype);
  parallel_for(std::ssize(from), 1 + kGrain / bytes, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const RowsOf source{s.in(static_cast<int>(from[i])), row[i] < 0};
      char* out = s.out() + i * bytes;
      if (row_major(sizes, source.strides()))
        std::memcpy(out, source.at(row[i]), bytes);
      else
        copy(sizes, {out, s.node.dtype, strides.span()},
             {source.at(row[i]), s.node.dtype, source.strides()});
    }
  });
}

// Attributes: sizes, strides and offset, as of as_strided. The gradient is as of any view where
// the batch lies row by row without gaps.
void infer_view(Infer& s) {
  set_geometry(s, s.attrs[0].as_ints(), s.attrs[1].as_ints(), s.attrs[2].as_int());
}

// Sizes with 1 for each dimension along which all elements lie at one place.
Dims sizes_once(const Layout& layout) {
  Dims sizes(layout.sizes());
  for (int i = 0; i < sizes.n; ++i)
    if (layout.stride(i) == 0) sizes[i] = 1;
  return sizes;
}

// Of elements that lie at one place the first has all of the gradient.
Value gradient_of_strided(const Node& in, const Node& view, const Value& g) {
  static const Op& op = op_named("storage_sum");
  const Dims once = sizes_once(*in.layout);
  const Value sum = record(op, {g},
                           {Arg::of(once.span()), Arg::of(in.strides()), Arg::of(in.offset),
                            Arg::of(view.strides()), Arg::of(view.offset)});
  if (std::ranges::equal(once.span(), in.sizes())) return sum;
  const LayoutRef firsts = intern(once.span(), contiguous_strides(in.sizes()).span());
  return placed(sum, *firsts, 0, *contiguous(in.sizes()));
}

Value view_gradient_of_batch(const GradCall& s) {
  const Node &in = *s.in(0), &node = s.node();
  if (in.numel() == node.numel() && in.layout->contiguous && node.layout->contiguous)
    return reshape(s.g, in.sizes());
  if (!in.layout->contiguous) return gradient_of_strided(in, node, s.g);
  return placed(s.g, *node.layout, node.offset - in.offset, *contiguous(in.sizes()));
}

// Attributes: sizes of the result; then, for each contribution, the input, its row or -1 where the
// whole input is one, and the row that it goes to. Every row has at least one.
void add_row(char* out, std::span<const int64_t> sizes, std::span<const int64_t> strides,
             DType dtype, const RowsOf& from, int64_t row, int64_t bytes, bool first) {
  const bool plain = row_major(sizes, from.strides());
  if (first && plain) {
    std::memcpy(out, from.at(row), bytes);
  } else if (first) {
    copy(sizes, {out, dtype, strides}, {from.at(row), dtype, from.strides()});
  } else if (plain && !is_half(dtype)) {
    const int64_t size = size_of(dtype);
    char* const data[] = {out, out, from.at(row)};
    const int64_t steps[] = {size, size, size};
    elementwise_loop(Elementwise::add, dtype)(data, steps, bytes / size);
  } else {
    add_to(sizes, {out, dtype, strides}, {from.at(row), dtype, from.strides()}, false);
  }
}

// Where no row has more than one contribution.
bool rows_of_assembled(const Node& node, char** begins) {
  const auto from = node.attr(1).as_ints(), row = node.attr(2).as_ints(),
             to = node.attr(3).as_ints();
  if (!begins) return std::ssize(to) == node.size(0) && have_no_gaps(node);
  for (size_t i = 0; i < from.size(); ++i)
    begins[to[i]] = RowsOf{*node.inputs[from[i]], row[i] < 0}.at(row[i]);
  return true;
}

void run_assembled(Run& s) {
  const auto from = s.attr(1).as_ints(), row = s.attr(2).as_ints(), to = s.attr(3).as_ints();
  const auto sizes = s.node.sizes().subspan(1);
  const Dims strides = contiguous_strides(sizes);
  const int64_t bytes = s.node.layout->stride(0) * size_of(s.node.dtype);
  std::vector<bool> begun(s.node.size(0));
  for (size_t i = 0; i < from.size(); ++i) {
    const RowsOf source{s.in(static_cast<int>(from[i])), row[i] < 0};
    add_row(s.out() + to[i] * bytes, sizes, strides.span(), s.node.dtype, source, row[i], bytes,
            !begun[to[i]]);
    begun[to[i]] = true;
  }
}

constexpr Op kOps[] = {
    {.name = "batch_rows",
     .doc = "Some rows of a batch, one after the other.",
     .infer = infer_rows,
     .back = Back::rows,
     .view = true,
     .hidden = true},
    {.name = "gathered",
     .doc = "Rows of several batches and single values, one behind the other.",
     .infer = infer_gathered,
     .kernel = run_gathered,
     .launches = true,
     .rows = rows_of_gathered,
     .back = Back::rows,
     .cost = 0.2,
     .hidden = true},
    {.name = "batch_view",
     .doc = "A view of every member of a batch.",
     .infer = infer_view,
     .grad = {GRAD(view_gradient_of_batch(s))},
     .view = true,
     .hidden = true},
    {.name = "assembled",
     .doc = "The gradient of a batch from those of its rows.",
     .infer = infer_gathered,
     .kernel = run_assembled,
     .launches = true,
     .rows = rows_of_assembled,
     .differentiable = false,
     .cost = 0.3,
     .hidden = true},
};

}  // namespace

std::span<const Op> batching_ops() { return kOps; }

Value batch_rows(const Value& whole, int64_t start, int64_t n) {
  static const Op& op = op_named("batch_rows");
  return record(op, {whole}, {Arg::of(start), Arg::of(n)});
}

Value gathered(std::span<Value> sources, std::span<const int64_t> sizes,
               std::span<const int64_t> from, std::span<const int64_t> row) {
  static const Op& op = op_named("gathered");
  const Arg attrs[] = {Arg::of(sizes), Arg::of(from), Arg::of(row)};
  return record(op, sources, attrs);
}

Value with_members(const Lift& s, int i) {
  const Value& in = s.in[i];
  return s.is_shared(i) ? expand(in, s.with_n(in->sizes())) : in;
}

Value aligned(const Lift& s, int i, int ndim) {
  const Value& in = s.in[i];
  if (s.is_shared(i) || in->ndim() == ndim + 1) return in;
  Dims sizes(in->sizes());
  while (sizes.n < ndim + 1) sizes.insert(1, 1);
  return reshape(in, sizes);
}

Value lift_as_is(const Lift& s) {
  Values in(s.in.begin(), s.in.end());
  return record(*s.like.op, in, s.like.attrs ? s.like.attrs->span() : std::span<const Arg>{});
}

namespace {

Value record_lifted(const Lift& s, std::span<const Arg> attrs) {
  Values in;
  for (int i = 0; i < static_cast<int>(s.in.size()); ++i) in.push_back(with_members(s, i));
  return record(*s.like.op, in, attrs);
}

// The members' attributes with another one in one place.
std::vector<Arg> attrs_with(const Lift& s, int place, const Arg& arg) {
  const auto given = s.like.attrs->span();
  std::vector<Arg> attrs(given.begin(), given.end());
  attrs[place] = arg;
  return attrs;
}

}  // namespace

Value lift_rows(const Lift& s) {
  return record_lifted(s, s.like.attrs ? s.like.attrs->span() : std::span<const Arg>{});
}

Value lift_along_dim(const Lift& s, int attr) {
  const int ndim = s.like.inputs[0]->ndim();
  const Arg& dim = s.like.attr(attr);
  if (ndim == 0 || dim.kind != Arg::integer) return nullptr;
  return record_lifted(s, attrs_with(s, attr, Arg::of(lifted_dim(dim, ndim))));
}

Value lift_over_dims(const Lift& s, int attr) {
  const int ndim = s.like.inputs[0]->ndim();
  const Arg& dim = s.like.attr(attr);
  if (ndim == 0) return nullptr;
  if (dim.kind == Arg::integer) return lift_along_dim(s, attr);
  Dims dims;
  if (dim.kind == Arg::ints)
    for (int64_t d : dim.as_ints()) dims.push(wrap_dim(d, ndim) + 1);
  if (dims.n == 0)
    for (int i = 1; i <= ndim; ++i) dims.push(i);
  return record_lifted(s, attrs_with(s, attr, Arg::of(dims.span())));
}

Value batch_view(const Value& whole, std::span<const int64_t> sizes,
                 std::span<const int64_t> strides, int64_t offset) {
  if (whole->needs_grad() && !whole->layout->contiguous) {
    const LayoutRef once = intern(sizes_once(*whole->layout).span(), whole->strides());
    if (may_overlap(*once)) return nullptr;
  }
  static const Op& op = op_named("batch_view");
  return record(op, {whole}, {Arg::of(sizes), Arg::of(strides), Arg::of(offset)});
}

Value assembled(std::span<Value> gradients, std::span<const int64_t> sizes,
                std::span<const int64_t> from, std::span<const int64_t> row,
                std::span<const int64_t> to) {
  static const Op& op = op_named("assembled");
  const Arg attrs[] = {Arg::of(sizes), Arg::of(from), Arg::of(row), Arg::of(to)};
  return record(op, gradients, attrs);
}

}  // namespace wend
