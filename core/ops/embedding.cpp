// ops/embedding.cpp: rows of a table by index, their gradient, and one_hot.
// Indexing in general is ops/index.
#include <algorithm>
#include <cstring>
#include <vector>

#include "base/checked.hpp"
#include "base/threads.hpp"
#include "graph/read.hpp"
#include "kernels/cast.hpp"
#include "kernels/elementwise.hpp"
#include "ops/batching.hpp"
#include "ops/families.hpp"
#include "ops/functions.hpp"
#include "ops/places.hpp"

namespace wend {
namespace {

Value row_major(const Value& v) { return v->layout->contiguous ? v : contiguous_copy(v); }

const int64_t* numbers_of(const Node& node) {
  return reinterpret_cast<const int64_t*>(node.data());
}

void check_rows(const int64_t* at, int64_t n, int64_t rows) {
  for (int64_t i = 0; i < n; ++i)
    if (at[i] < 0 || at[i] >= rows) fail(ErrorKind::index, "index out of range in self");
}

Dims rows_of_table(const Node& indices, int64_t width) {
  Dims sizes(indices.sizes());
  sizes.push(width);
  return sizes;
}

// Indices are int64, see embedding_body. Those of a batch's members may have gaps in between.
void infer_embedding(Infer& s) {
  s.in[1] = row_major(s.in[1]);
  const Node &table = *s.in[0], &indices = *s.in[1];
  s.dtype = table.dtype;
  s.layout = contiguous(rows_of_table(indices, table.size(1)));
}

void check_embedding(const Node& node) {
  const Node& indices = *node.inputs[1];
  check_rows(numbers_of(indices), indices.numel(), node.inputs[0]->size(0));
}

void run_embedding(Run& s) {
  const Node &table = s.in(0), &indices = s.in(1);
  const int64_t width = table.size(1), size = size_of(table.dtype), bytes = width * size;
  const int64_t down = table.layout->stride(0) * size, along = table.layout->stride(1) * size;
  const int64_t* at = numbers_of(indices);
  const Cast copy_row = cast_loop(table.dtype, table.dtype);
  parallel_for(indices.numel(), 1 + 65536 / (bytes + 1), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      if (along == size)
        std::memcpy(s.out() + i * bytes, table.data() + at[i] * down, bytes);
      else
        copy_row(s.out() + i * bytes, size, table.data() + at[i] * down, along, width);
    }
  });
}

// The last two inputs are gradients of rows and where they were looked up. Attributes: rows of the
// table, the row that gets no gradient or -1, whether to divide by how often a row was looked up.
void infer_embedding_backward(Infer& s) {
  for (Value& in : s.in) in = row_major(in);
  const Value& rows = s.in[s.in.size() - 2];
  s.dtype = rows->dtype;
  s.layout = contiguous(Dims{s.attrs[0].as_int(), rows->size(rows->ndim() - 1)});
}

// One over the number of times that each row occurs.
std::vector<double> shares(const Node& indices, int64_t rows) {
  std::vector<double> share(rows, 0);
  const int64_t* at = numbers_of(indices);
  for (int64_t i = 0; i < indices.numel(); ++i) ++share[at[i]];
  for (double& v : share) v = 1 / v;
  return share;
}

// Each thread has some rows of the table to itself and looks through all indices for them. `first`
// is the input with the gradients; what it is added to, if not zeros, is there already.
template <class T>
void embedding_backward(const Run& s, int first) {
  const Node &g = s.in(first), &indices = s.in(first + 1);
  const int64_t rows = s.node.size(0), width = s.node.size(1), padding = s.attr(1).as_int();
  const bool by_frequency = s.attr(2).as_bool();
  const std::vector<double> share = by_frequency ? shares(indices, rows) : std::vector<double>();
  const int64_t* at = numbers_of(indices);
  const Loop add = elementwise_loop(Elementwise::add_scaled, s.node.dtype);
  const bool small = s.node.numel() + indices.numel() * width < 65536;
  const int64_t grain = small ? rows : std::max<int64_t>(1, rows / num_threads() / 2);
  const int64_t bytes = width * sizeof(T);
  parallel_for(rows, grain, [&](int64_t begin, int64_t end) {
    if (first == 0) fill_zero(s.out() + begin * bytes, (end - begin) * bytes);
    for (int64_t i = 0; i < indices.numel(); ++i) {
      if (at[i] < begin || at[i] >= end || at[i] == padding) continue;
      T scale = by_frequency ? static_cast<T>(share[at[i]]) : T(1);
      char* const row = s.out() + at[i] * bytes;
      char* const data[] = {row, row, g.data() + i * bytes, reinterpret_cast<char*>(&scale)};
      const int64_t strides[] = {sizeof(T), sizeof(T), sizeof(T), 0};
      add(data, strides, width);
    }
  });
}

void run_embedding_backward(Run& s) {
  const int first = static_cast<int>(s.node.n_inputs) - 2;
  if (first > 0) start_from_input(s);
  if (s.node.dtype == DType::float64)
    embedding_backward<double>(s, first);
  else
    embedding_backward<float>(s, first);
}

double work_of_backward(const Node& node) {
  const size_t first = node.n_inputs - 2;
  return static_cast<double>(node.inputs[first]->numel() + (first ? 0 : node.numel())) * 0.3;
}

Value embedding_backward_onto(const Value& start, const Node& node) {
  static const Op& op = op_named("embedding_dense_backward_onto");
  Value in[] = {start, node.inputs[0], node.inputs[1]};
  return record(op, in, node.attrs->span());
}

Value embedding_gradient(const GradCall& s, const Value& indices) {
  static const Op& op = op_named("embedding_dense_backward");
  const DType t = is_half(s.g->dtype) ? DType::float32 : s.g->dtype;
  return record(op, {cast(s.g, t), indices}, {Arg::of(s.in(0)->size(0)), s.attr(0), s.attr(1)});
}

// The backward op takes each row of its gradient to a row of the table; back again it is a look-up.
Value gradient_of_gradient(const GradCall& s, const Value& indices) {
  static const Op& op = op_named("embedding_rows");
  const Arg &padding = s.attr(1), &by_frequency = s.attr(2);
  Value rows = record(op, {s.g, indices}, {padding, by_frequency});
  const Value each = unsqueeze(indices, -1);
  if (padding.as_int() >= 0)
    rows = where(eq(each, Value(static_cast<int>(padding.as_int()))), 0, rows);
  if (!by_frequency.as_bool()) return rows;
  const int64_t n = s.node().size(0);
  const Value ones = full(rows_of_table(*indices, 1).span(), 1, s.g->dtype);
  static const Op& backward = op_named("embedding_dense_backward");
  const Value counts = record(backward, {ones, indices}, {Arg::of(n), Arg::of(-1), Arg::of(false)});
  return rows / record(op, {counts, indices}, {Arg::of(-1), Arg::of(false)});
}

void check_index_dtype(const Node& indices) {
  if (indices.dtype == DType::int64 || indices.dtype == DType::int32) return;
  fail(ErrorKind::runtime,
       "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, "
       "Int; but got torch.",
       scalar_type_name(indices.dtype), "Tensor instead (while checking arguments for embedding)");
}

void look_at_indices(const Call& c) {
  const int64_t rows = c[0].node->size(0);
  look_at_given(*c[1].node, [=](const int64_t* at, int64_t n) { check_rows(at, n, rows); });
}

Values embedding_body(Call& c) {
  static const Op& op = op_named("embedding_rows");
  const Value table = c.tensor(0), indices = c.tensor(1);
  if (table->ndim() != 2) fail(ErrorKind::runtime, "'weight' must be 2-D");
  check_index_dtype(*indices);
  if (table->size(0) == 0 && indices->numel() > 0)
    fail(ErrorKind::runtime, "index_select(): self indexing axis dim should be positive");
  if (c[4].as_bool())
    fail(ErrorKind::not_implemented,
         "embedding: gradients are dense here; sparse=True is not supported");
  Value in[] = {table, row_major(cast(indices, DType::int64))};
  look_at_indices(c);
  return only(record(op, in, {c[2], c[3]}));
}

void infer_one_hot(Infer& s) {
  s.dtype = DType::int64;
  s.layout = contiguous(rows_of_table(*s.in[0], s.attrs[0].as_int()));
}

void check_classes(const int64_t* at, int64_t n, int64_t classes) {
  for (int64_t i = 0; i < n; ++i)
    if (at[i] < 0) fail(ErrorKind::runtime, "Class values must be non-negative.");
  for (int64_t i = 0; i < n; ++i)
    if (at[i] >= classes)
      fail(ErrorKind::runtime, "Class values must be smaller than num_classes.");
}

void run_one_hot(Run& s) {
  const int64_t classes = s.attr(0).as_int();
  check_classes(numbers_of(s.in(0)), s.in(0).numel(), classes);
  fill_zero(s.out(), s.node.numel() * sizeof(int64_t));
  const int64_t* at = numbers_of(s.in(0));
  auto* out = reinterpret_cast<int64_t*>(s.out());
  for (int64_t i = 0; i < s.in(0).numel(); ++i) out[i * classes + at[i]] = 1;
}

Values one_hot_body(Call& c) {
  static const Op& op = op_named("one_hot_rows");
  const Value indices = row_major(c.tensor(0));
  int64_t classes = c[1].as_int();
  if (indices->dtype != DType::int64)
    fail(ErrorKind::runtime, "one_hot is only applicable to index tensor of type LongTensor.");
  if (indices->numel() == 0 && classes <= 0)
    fail(ErrorKind::runtime, "Can not infer total number of classes from empty tensor.");
  if (classes == -1) {
    classes = read_size(indices, [](const Node& known) {
      const int64_t *at = numbers_of(known), *end = at + known.numel();
      return checked_add(std::max<int64_t>(0, *std::max_element(at, end)), 1);
    });
    check_classes(numbers_of(*indices), indices->numel(), classes);
  }
  look_at_given(*c[0].node, [=](const int64_t* at, int64_t n) { check_classes(at, n, classes); });
  // Without classes nothing is left to run, so that the values are looked at here.
  if (classes <= 0) {
    evaluate(indices);
    check_classes(numbers_of(*indices), indices->numel(), classes);
  }
  return {record(op, {indices}, {Arg::of(classes)})};
}

// Rows of one table are looked up together, unless their gradients depend on who else looks.
Value lift_embedding(const Lift& s) {
  const bool by_frequency = s.like.attr(1).as_bool();
  return s.is_shared(0) && !s.is_shared(1) && !by_frequency ? lift_as_is(s) : nullptr;
}

constexpr Op kOps[] = {
    {.name = "embedding",
     .signature = "(Tensor weight, Tensor indices, int padding_idx=-1, "
                  "bool scale_grad_by_freq=False, bool sparse=False) -> Tensor",
     .doc = "The rows of weight that the indices name.",
     .example = "embedding(tensor([[1., 2.], [3., 4.]]), tensor([1, 0]))",
     .by_layout = true,
     .body = embedding_body,
     .look = look_at_indices,
     .method = false},
    {.name = "embedding_rows",
     .doc = "embedding, with int64 indices.",
     .infer = infer_embedding,
     .by_layout = true,
     .kernel = run_embedding,
     .check = check_embedding,
     .launches = true,
     .grad = {GRAD(embedding_gradient(s, b))},
     .lift = lift_embedding,
     .weights = 1,
     .grad_name = "EmbeddingBackward0",
     .cost = 0.3,
     .hidden = true},
    {.name = "embedding_dense_backward",
     .doc = "A table whose rows are the sums of the gradients of their uses.",
     .infer = infer_embedding_backward,
     .kernel = run_embedding_backward,
     .launches = true,
     .grad = {GRAD(gradient_of_gradient(s, b))},
     .onto = embedding_backward_onto,
     .work = work_of_backward,
     .hidden = true},
    {.name = "embedding_dense_backward_onto",
     .doc = "Input 0 with the gradients of rows of a table added to them.",
     .infer = infer_embedding_backward,
     .kernel = run_embedding_backward,
     .launches = true,
     .grad = {GRAD(g), GRAD(gradient_of_gradient(s, c))},
     .donates = 1,
     .work = work_of_backward,
     .hidden = true},
    {.name = "one_hot",
     .signature = "(Tensor tensor, int num_classes=-1) -> Tensor",
     .doc = "For each index a row of zeros with a one at its place.",
     .example = "nn.functional.one_hot(tensor([0, 2]))",
     .body = one_hot_body,
     .module = "_nn"},
    {.name = "one_hot_rows",
     .doc = "one_hot, with a known number of classes.",
     .infer = infer_one_hot,
     .kernel = run_one_hot,
     .differentiable = false,
     .hidden = true},
};

}  // namespace

std::span<const Op> embedding_ops() { return kOps; }

}  // namespace wend
