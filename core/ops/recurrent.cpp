// ops/recurrent.cpp: one step of recurrent networks, written in other ops. Sequences, layers and
// directions are Python's.
#include "ops/families.hpp"
#include "ops/functions.hpp"

namespace wend {
namespace {

Value affine(const Value& x, const Value& weight, const Value& bias) {
  if (bias) return record(op_named("affine"), {x, weight, bias});
  return record(op_named("rows_nt"), {x, weight});
}

int64_t columns(const Node& matrix) { return matrix.size(wrap_dim(1, matrix.ndim())); }

// Checks input and weights of a cell with so many gates, and returns its hidden size.
int64_t check_cell(const Node& input, const Node& w_ih, const Node& w_hh, int64_t gates) {
  if (columns(input) != columns(w_ih))
    fail(ErrorKind::runtime, "input has inconsistent input_size: got ", input.size(1), " expected ",
         w_ih.size(1));
  const int64_t size = columns(w_hh);
  const auto check = [&](const char* name, const Node& weight) {
    if (weight.size(0) != gates * size)
      fail(ErrorKind::runtime, name, " first dim must be ", gates,
           " * hidden_size = ", gates * size, ", but got ", weight.size(0));
  };
  check("weight_ih", w_ih);
  check("weight_hh", w_hh);
  return size;
}

void check_hidden(const Node& input, const Node& hidden, int64_t size, int label) {
  const int64_t found = columns(hidden);
  if (input.size(0) != hidden.size(0))
    fail(ErrorKind::runtime, "Input batch size ", input.size(0), " doesn't match hidden", label,
         " batch size ", hidden.size(0));
  if (found != size)
    fail(ErrorKind::runtime, "hidden", label, " has inconsistent hidden_size: got ", found,
         ", expected ", size);
}

// Gates are written over what they are made of, which must be able to hold them.
const Value& holding_gates(const Value& sums) {
  if (!is_floating(sums->dtype))
    fail(ErrorKind::runtime, "result type ", scalar_type_name(default_dtype()),
         " can't be cast to the desired output type ", scalar_type_name(sums->dtype));
  return sums;
}

// Columns `part` of the gates, each of the hidden size.
Value gate(const Value& gates, int64_t part, int64_t size) {
  return slice(gates, 1, part * size, (part + 1) * size);
}

Values lstm_cell_body(Call& c) {
  const Value input = c.tensor(0), w_ih = c.tensor(2), w_hh = c.tensor(3);
  const auto states = c[1].as_nodes();
  if (states.size() != 2) fail(ErrorKind::runtime, "lstm_cell expects two hidden states");
  const Value h(states[0]), cell(states[1]);
  const int64_t size = check_cell(*input, *w_ih, *w_hh, 4);
  check_hidden(*input, *h, size, 0);
  check_hidden(*input, *cell, size, 1);
  const Value gates =
      holding_gates(affine(input, w_ih, c.tensor(4)) + affine(h, w_hh, c.tensor(5)));
  const Value in = sigmoid(gate(gates, 0, size)), forget = sigmoid(gate(gates, 1, size));
  const Value candidate = tanh(gate(gates, 2, size)), out = sigmoid(gate(gates, 3, size));
  const Value next = forget * cell + in * candidate;
  return {out * tanh(next), next};
}

Values gru_cell_body(Call& c) {
  const Value input = c.tensor(0), h = c.tensor(1), w_ih = c.tensor(2), w_hh = c.tensor(3);
  const int64_t size = check_cell(*input, *w_ih, *w_hh, 3);
  check_hidden(*input, *h, size, 0);
  const Value from_input = holding_gates(affine(input, w_ih, c.tensor(4)));
  const Value from_hidden = affine(h, w_hh, c.tensor(5));
  const Value reset = sigmoid(gate(from_input, 0, size) + gate(from_hidden, 0, size));
  const Value keep = sigmoid(gate(from_input, 1, size) + gate(from_hidden, 1, size));
  const Value fresh = tanh(gate(from_input, 2, size) + reset * gate(from_hidden, 2, size));
  return {(h - fresh) * keep + fresh};
}

template <Value (*f)(const Value&)>
Values simple_cell_body(Call& c) {
  const Value input = c.tensor(0), h = c.tensor(1), w_ih = c.tensor(2), w_hh = c.tensor(3);
  check_hidden(*input, *h, check_cell(*input, *w_ih, *w_hh, 1), 0);
  return {f(affine(input, w_ih, c.tensor(4)) + affine(h, w_hh, c.tensor(5)))};
}

#define CELL_WEIGHTS "Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> "

constexpr Op kOps[] = {
    {.name = "lstm_cell",
     .signature = "(Tensor input, Tensor[] hx, " CELL_WEIGHTS "Tensor[]",
     .doc = "One step of an LSTM: the next hidden state and the next cell state.",
     .example = "lstm_cell(ones(1, 2), [zeros(1, 1), zeros(1, 1)], ones(4, 2), ones(4, 1))",
     .body = lstm_cell_body,
     .method = false},
    {.name = "gru_cell",
     .signature = "(Tensor input, Tensor hx, " CELL_WEIGHTS "Tensor",
     .doc = "One step of a GRU: the next hidden state.",
     .example = "gru_cell(ones(1, 2), zeros(1, 1), ones(3, 2), ones(3, 1))",
     .body = gru_cell_body,
     .method = false},
    {.name = "rnn_tanh_cell",
     .signature = "(Tensor input, Tensor hx, " CELL_WEIGHTS "Tensor",
     .doc = "One step of a simple recurrent network with tanh: the next hidden state.",
     .example = "rnn_tanh_cell(ones(1, 2), zeros(1, 1), ones(1, 2), ones(1, 1))",
     .body = simple_cell_body<tanh>,
     .method = false},
    {.name = "rnn_relu_cell",
     .signature = "(Tensor input, Tensor hx, " CELL_WEIGHTS "Tensor",
     .doc = "One step of a simple recurrent network with relu: the next hidden state.",
     .example = "rnn_relu_cell(ones(1, 2), zeros(1, 1), ones(1, 2), ones(1, 1))",
     .body = simple_cell_body<relu>,
     .method = false},
};

}  // namespace

std::span<const Op> recurrent_ops() { return kOps; }

}  // namespace wend
