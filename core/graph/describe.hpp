// graph/describe.hpp: calls and places as text, for errors and for whoever shows the graph.
// Nothing here is on the path of a call that succeeds.
#pragma once

#include <string>

#include "graph/op.hpp"

namespace wend {

// "matmul(input: (2, 3) float32, other: (4, 5) float32)": arguments in the order of `signature`;
// those that are None or have their default are left out.
std::string describe_call(const char* name, const char* signature, std::span<const Arg> args);
std::string describe_call(const Op& op, std::span<const Value> inputs, std::span<const Arg> attrs);
// "(2, 3) float32", or the number that a constant holds.
std::string describe_tensor(const Node& node);
// PyTorch's name for the way back through a node.
std::string backward_name(const Node& node);
// "3", "(2, 3)", "'mean'", ...
std::string show_argument(const Arg& arg);
// "(2, 3)"
std::string show_tuple(std::span<const int64_t> values);

// Adds the call, the rule it broke and the user's line below an error's own text, once.
void locate(Error& error, const std::string& call);
void locate(Error& error, const std::string& call, Source source);

// Does what `f` does; an error that leaves it says which call it came from.
template <class Call, class F>
auto located(Call call, F f) {
  try {
    return f();
  } catch (Error& e) {
    locate(e, call());
    throw;
  }
}

}  // namespace wend
