// ops/product.cpp: batches of matrix products as strides, folded into as few as possible.
// The products themselves are kernels/gemm, but for integers.
#include "ops/product.hpp"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "base/threads.hpp"
#include "kernels/gemm.hpp"
#include "kernels/iterate.hpp"
#include "ops/families.hpp"

namespace wend {
namespace {

// An operand: the strides of its matrix, and sizes and strides of the batch in front of it.
struct Side {
  int64_t rows, cols, row, col;
  std::span<const int64_t> sizes, strides;
};

// A vector is one row, or one column where `standing`.
Side side(std::span<const int64_t> sizes, std::span<const int64_t> strides, bool standing,
          bool transposed) {
  const size_t n = sizes.size();
  Side s{1, sizes[n - 1], 0, strides[n - 1], {}, {}};
  if (n > 1) {
    s.rows = sizes[n - 2];
    s.row = strides[n - 2];
    s.sizes = sizes.first(n - 2);
    s.strides = strides.first(n - 2);
  }
  if (n > 1 ? transposed : standing != transposed) {
    std::swap(s.rows, s.cols);
    std::swap(s.row, s.col);
  }
  return s;
}

Side left_side(std::span<const int64_t> sizes, std::span<const int64_t> strides, Form form) {
  return side(sizes, strides, false, form == tn);
}
Side right_side(std::span<const int64_t> sizes, std::span<const int64_t> strides, Form form) {
  if (sizes.size() == 1) return side(sizes, strides, form != tn, false);
  return side(sizes, strides, false, form == nt);
}

// A batch of products as strides, outermost dimension of the batch first.
struct Batch {
  int64_t m, n, k;
  int64_t a_row, a_col, b_row, b_col, c_row;
  bool sums = false;     // several products are added up in one place
  bool swapped = false;  // A and B have changed places
  int dims = 0;
  int64_t size[kMaxDims], a[kMaxDims], b[kMaxDims], c[kMaxDims];

  Batch(const Side& left, const Side& right)
      : m(left.rows),
        n(right.cols),
        k(left.cols),
        a_row(left.row),
        a_col(left.col),
        b_row(right.row),
        b_col(right.col),
        c_row(right.cols) {}

  // `out` are the sizes of the batch in the result; where it has 1 or nothing, products add up.
  void add_batch(const Side& left, const Side& right, std::span<const int64_t> out) {
    auto at = [](std::span<const int64_t> list, int from_end, int64_t otherwise) {
      const int i = static_cast<int>(list.size()) - from_end;
      return i < 0 ? otherwise : list[i];
    };
    int64_t step = m * n;
    const int depth = static_cast<int>(std::max(left.sizes.size(), right.sizes.size()));
    for (int i = 1; i <= depth; ++i) {
      const int64_t na = at(left.sizes, i, 1), nb = at(right.sizes, i, 1), nc = at(out, i, 1);
      add_dim(na == 1 ? nb : na, na == 1 ? 0 : at(left.strides, i, 0),
              nb == 1 ? 0 : at(right.strides, i, 0), nc == 1 ? 0 : step);
      step *= nc;
    }
    std::reverse(size, size + dims);
    std::reverse(a, a + dims);
    std::reverse(b, b + dims);
    std::reverse(c, c + dims);
    fold_innermost();
  }

 private:
  // The next dimension outwards; it is merged with the one before where strides allow.
  void add_dim(int64_t count, int64_t step_a, int64_t step_b, int64_t step_c) {
    if (count == 1) return;
    if (step_c == 0) sums = true;
    if (dims) {
      const int last = dims - 1;
      const int64_t below = size[last];
      if (step_a == a[last] * below && step_b == b[last] * below && step_c == c[last] * below) {
        size[last] *= count;
        return;
      }
    }
    size[dims] = count;
    a[dims] = step_a;
    b[dims] = step_b;
    c[dims++] = step_c;
  }

  // Makes one larger product of the innermost dimension where the operands lie so that it can.
  void fold_innermost() {
    if (dims == 0) return;
    const int last = dims - 1;
    const int64_t count = size[last];
    if (n == 1 && m > 1 && a[last] == 0) transpose();
    if (b[last] == 0 && c[last] != 0 &&
        (m == 1 || (a[last] == m * a_row && c[last] == m * c_row))) {
      if (m == 1) a_row = a[last], c_row = c[last];
      m *= count;
      --dims;
    } else if (c[last] == 0 && (k == 1 || (a[last] == k * a_col && b[last] == k * b_row))) {
      if (k == 1) a_col = a[last], b_row = b[last];
      k *= count;
      --dims;
    }
  }

  // A column as a row: (A·b)ᵀ = bᵀ·Aᵀ.
  void transpose() {
    std::swap(m, n);
    std::swap(a_row, b_col);
    std::swap(a_col, b_row);
    std::swap_ranges(a, a + dims, b);
    swapped = true;
    c_row = n;
  }
};

// What products of T are formed in: small integers would become signed ones, that may not overflow.
template <class T>
using Wide = std::conditional_t<(sizeof(T) < sizeof(uint32_t)), uint32_t, T>;

// Integers wrap around, so unsigned ones stand for both.
template <class T>
void plain_product(const Gemm<T>& g) {
  for (int64_t i = 0; i < g.m; ++i) {
    T* c = g.c + i * g.c_row;
    if (!g.accumulate) std::fill_n(c, g.n, T{0});
    for (int64_t p = 0; p < g.k; ++p) {
      const Wide<T> a = g.a[i * g.a_row + p * g.a_col];
      const T* b = g.b + p * g.b_row;
      for (int64_t j = 0; j < g.n; ++j) c[j] = static_cast<T>(c[j] + a * b[j * g.b_col]);
    }
  }
}

template <class T>
void products(const Gemm<T>& first, int64_t count, const GemmSteps& steps) {
  if constexpr (std::is_floating_point_v<T>) {
    if (count == 1) return gemm(first);
    gemm_batched(first, count, steps);
  } else {
    Gemm<T> g = first;
    for (int64_t i = 0; i < count; ++i) {
      plain_product(g);
      g.a += steps.a;
      g.b += steps.b;
      g.c += steps.c;
    }
  }
}

template <class T>
void run_batch(const Batch& p, const T* a, const T* b, T* c, uint64_t b_name) {
  if (p.swapped) std::swap(a, b), b_name = 0;
  Gemm<T> g{p.m, p.n, p.k, a, p.a_row, p.a_col, b, p.b_row, p.b_col, c, p.c_row, p.sums, b_name};
  if (p.dims == 0) return products(g, 1, {});
  const int last = p.dims - 1;
  const GemmSteps steps{p.a[last], p.b[last], p.c[last]};
  int64_t outer = 1, index[kMaxDims] = {};
  for (int i = 0; i < last; ++i) outer *= p.size[i];
  for (int64_t done = 0; done < outer; ++done) {
    products(g, p.size[last], steps);
    for (int i = last - 1; i >= 0; --i) {
      g.a += p.a[i];
      g.b += p.b[i];
      g.c += p.c[i];
      if (++index[i] < p.size[i]) break;
      g.a -= p.a[i] * p.size[i];
      g.b -= p.b[i] * p.size[i];
      g.c -= p.c[i] * p.size[i];
      index[i] = 0;
    }
  }
}

// What a kernel multiplies, as elements of type T.
template <class T>
struct Operands {
  const Node &a, &b, &out;
  std::span<const int64_t> a_strides, b_strides;
  const T *a_data, *b_data;
  T* c;
  bool onto = false;
};

template <class T>
void multiply(const Operands<T>& o, Form form) {
  const Side left = left_side(o.a.sizes(), o.a_strides, form);
  const Side right = right_side(o.b.sizes(), o.b_strides, form);
  Batch batch(left, right);
  if (!left.sizes.empty() || !right.sizes.empty()) {
    const int own = (o.a.ndim() > 1 || form == tn) + (o.b.ndim() > 1 || form == tn);
    batch.add_batch(left, right, o.out.sizes().first(o.out.ndim() - own));
  }
  if (batch.sums && !o.onto) std::fill_n(o.c, o.out.numel(), T{0});
  batch.sums |= o.onto;
  // What was converted lies in memory that holds something else the next time.
  const bool as_it_is = o.b_data == reinterpret_cast<const T*>(o.b.data());
  run_batch(batch, o.a_data, o.b_data, o.c, as_it_is ? name_of(o.b) : 0);
}

// out = alpha · out + beta · input, of which a factor of 0 is never multiplied by anything.
template <class T>
struct Added {
  std::span<const int64_t> sizes, strides;
  const T* input;
  T beta, alpha;
};

template <class T>
void combine(const Node& node, T* out, const Added<T>& added) {
  const Wide<T> alpha = added.alpha, beta = added.beta;
  const int64_t n = node.numel();
  if (alpha == 0)
    std::fill_n(out, n, T{0});
  else if (alpha != 1)
    for (int64_t i = 0; i < n; ++i) out[i] = static_cast<T>(out[i] * alpha);
  if (beta == 0) return;
  Iteration it;
  it.begin(node.sizes());
  it.add(reinterpret_cast<char*>(out), node.strides(), node.sizes(), sizeof(T));
  auto* input = const_cast<char*>(reinterpret_cast<const char*>(added.input));
  it.add(input, added.strides, added.sizes, sizeof(T));
  it.simplify();
  auto add_row = [beta](char** at, const int64_t* step, int64_t length) {
    T* to = reinterpret_cast<T*>(at[0]);
    const T* from = reinterpret_cast<const T*>(at[1]);
    const int64_t by = step[1] / static_cast<int64_t>(sizeof(T));
    if (by == 1 && beta == 1)
      for (int64_t i = 0; i < length; ++i) to[i] = static_cast<T>(to[i] + from[i]);
    else
      for (int64_t i = 0; i < length; ++i) to[i] = static_cast<T>(to[i] + beta * from[i * by]);
  };
  parallel_for(it.outer(), std::max<int64_t>(1, 65536 / it.inner()),
               [&](int64_t begin, int64_t end) { it.walk(begin, end, add_row); });
}

// Beta or alpha, where something is added and it is not by way of a bias.
template <class T>
T factor(const Node& node, Roles roles, int i) {
  if (roles.added < 0 || !node.attrs) return T{1};
  const Arg& arg = node.attr(i);
  return std::is_floating_point_v<T> ? static_cast<T>(arg.as_real()) : static_cast<T>(arg.as_int());
}

template <class T>
void run_as(const Run& s, Form form, Roles roles) {
  const Node &a = s.in(roles.a), &b = s.in(roles.b);
  T* out = reinterpret_cast<T*>(s.out());
  const T alpha = factor<T>(s.node, roles, 1);
  if (alpha != T{0})
    multiply<T>({a, b, s.node, a.strides(), b.strides(), reinterpret_cast<const T*>(a.data()),
                 reinterpret_cast<const T*>(b.data()), out, roles.onto},
                form);
  if (roles.added < 0) return;
  const Node& input = s.in(roles.added);
  combine<T>(s.node, out,
             {input.sizes(), input.strides(), reinterpret_cast<const T*>(input.data()),
              factor<T>(s.node, roles, 0), alpha});
}

// An operand as floats, repeated elements once.
struct AsFloat {
  std::vector<float> values;
  Dims strides;

  explicit AsFloat(const Node& node) : strides(node.sizes()) {
    Dims sizes(node.sizes());
    for (int i = 0; i < sizes.n; ++i)
      if (node.layout->stride(i) == 0 && sizes[i] > 1) sizes[i] = 1;
    const Dims packed = contiguous_strides(sizes.span());
    for (int i = 0; i < sizes.n; ++i) strides[i] = sizes[i] == 1 ? 0 : packed[i];
    values.resize(static_cast<size_t>(count(sizes.span())));
    if (values.empty()) return;
    copy(sizes.span(), {reinterpret_cast<char*>(values.data()), DType::float32, packed.span()},
         strided(node));
  }
};

void run_halves(const Run& s, Form form, Roles roles) {
  const Node &a = s.in(roles.a), &b = s.in(roles.b);
  std::vector<float> out(static_cast<size_t>(s.node.numel()));
  const float alpha = factor<float>(s.node, roles, 1);
  if (alpha != 0) {
    const AsFloat left(a), right(b);
    multiply<float>({a, b, s.node, left.strides.span(), right.strides.span(), left.values.data(),
                     right.values.data(), out.data()},
                    form);
  }
  if (roles.added >= 0) {
    const AsFloat input(s.in(roles.added));
    combine<float>(s.node, out.data(),
                   {s.in(roles.added).sizes(), input.strides.span(), input.values.data(),
                    factor<float>(s.node, roles, 0), alpha});
  }
  copy(s.node.sizes(), strided(s.node),
       {reinterpret_cast<char*>(out.data()), DType::float32, s.node.strides()});
}

}  // namespace

void run_product(const Run& s, Form form, Roles roles) {
  switch (s.node.dtype) {
    case DType::float32:
      return run_as<float>(s, form, roles);
    case DType::float64:
      return run_as<double>(s, form, roles);
    case DType::float16:
    case DType::bfloat16:
      return run_halves(s, form, roles);
    case DType::int64:
      return run_as<uint64_t>(s, form, roles);
    case DType::int32:
      return run_as<uint32_t>(s, form, roles);
    case DType::int16:
      return run_as<uint16_t>(s, form, roles);
    default:  // bool comes here only where there is nothing to add up
      return run_as<uint8_t>(s, form, roles);
  }
}

uint64_t name_of(const Node& right) {
  const Buffer* buffer = right.buffer;
  if (!buffer || buffer->lender || buffer->was_lent) return 0;
  // A view is named after what it is a view of. It holds that node, whose value may come and go
  // while a kernel runs, so nothing of it is read that can change.
  const Node* node = &right;
  while (node->op->view && node->inputs[0]) node = node->inputs[0].get();
  return node->number;
}

Dims broadcast_batch(const Node& a, const Node& b) {
  const int n = std::max(a.ndim(), b.ndim());
  Dims sizes;
  for (int i = n; i > 2; --i) {
    const int64_t na = a.ndim() < i ? 1 : a.size(a.ndim() - i);
    const int64_t nb = b.ndim() < i ? 1 : b.size(b.ndim() - i);
    if (na != nb && na != 1 && nb != 1)
      fail(ErrorKind::runtime, "The size of tensor a (", na, ") must match the size of tensor b (",
           nb, ") at non-singleton dimension ", n - i);
    sizes.push(na == 1 ? nb : na);
  }
  return sizes;
}

}  // namespace wend
