// bind/signature.cpp: reading "(Tensor input, int dim=0, *, dtype? dtype=None) -> Tensor".
#include "bind/signature.hpp"

#include <cmath>
#include <cstdlib>
#include <string_view>
#include <unordered_map>

namespace wend {
namespace {

std::string_view trim(std::string_view s) {
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
  return s;
}

// Splits at commas that are not inside brackets.
std::vector<std::string_view> split(std::string_view s) {
  std::vector<std::string_view> parts;
  int depth = 0;
  size_t start = 0;
  for (size_t i = 0; i <= s.size(); ++i) {
    if (i < s.size() && (s[i] == '[' || s[i] == '(')) ++depth;
    if (i < s.size() && (s[i] == ']' || s[i] == ')')) --depth;
    if (i == s.size() || (s[i] == ',' && depth == 0)) {
      if (auto part = trim(s.substr(start, i - start)); !part.empty()) parts.push_back(part);
      start = i + 1;
    }
  }
  return parts;
}

[[noreturn]] void bad(const Op& op, std::string_view what) {
  fail(ErrorKind::runtime, "internal: signature of ", op.name, ": ", what);
}

void read_type(const Op& op, std::string_view text, Param& p) {
  static const std::unordered_map<std::string_view, Type> types = {
      {"Tensor", Type::tensor},
      {"Operand", Type::operand},
      {"Scalar", Type::scalar},
      {"Tensor[]", Type::tensors},
      {"Number", Type::number},
      {"int", Type::integer},
      {"float", Type::real},
      {"bool", Type::boolean},
      {"int[]", Type::ints},
      {"int[1]", Type::ints},
      {"float[]", Type::reals},
      {"float[1]", Type::reals},
      {"dtype", Type::dtype},
      {"str", Type::text},
      {"Generator", Type::generator},
      {"device", Type::device},
      {"layout", Type::layout},
      {"memory_format", Type::memory_format},
      {"requires_grad", Type::requires_grad},
      {"pin_memory", Type::pin_memory},
      {"True", Type::only_true},
      {"False", Type::only_false},
  };
  if (text.ends_with('?')) {
    p.optional = true;
    text.remove_suffix(1);
  }
  p.from_one = text.ends_with("[1]");
  auto it = types.find(text);
  if (it == types.end()) bad(op, text);
  p.type = it->second;
}

void read_default(const Op& op, std::string_view text, Param& p) {
  p.has_default = true;
  if (text == "None") return;
  if (text == "True" || text == "False") {
    p.otherwise = Arg::of(text == "True");
  } else if (text.front() == '[' || text.front() == '(') {
    for (auto item : split(text.substr(1, text.size() - 2)))
      p.default_ints.push_back(std::atoll(std::string(item).c_str()));
    p.otherwise = Arg::of(std::span<const int64_t>(p.default_ints));
  } else if (text.front() == '\'' || text.front() == '"') {
    p.default_text = text.substr(1, text.size() - 2);
    p.otherwise.kind = Arg::text;
    p.otherwise.n = static_cast<uint32_t>(p.default_text.size());
  } else if (p.type == Type::integer ||
             (p.type != Type::real && text.find_first_of(".en") == text.npos)) {
    p.otherwise = Arg::of(static_cast<int64_t>(std::atoll(std::string(text).c_str())));
  } else {
    p.otherwise = Arg::of(std::strtod(std::string(text).c_str(), nullptr));
  }
  (void)op;
}

// NumPy's names, which PyTorch takes as well.
void add_other_names(Param& p) {
  static constexpr std::pair<std::string_view, const char*> names[] = {
      {"dim", "axis"}, {"keepdim", "keepdims"}, {"input", "x"},    {"input", "a"},
      {"input", "x1"}, {"other", "x2"},         {"size", "shape"}, {"input", "self"}};
  int n = 0;
  for (auto [name, other] : names)
    if (p.name == name) p.also[n++] = PyUnicode_InternFromString(other);
}

Param read_param(const Op& op, std::string_view text, bool keyword_only) {
  Param p;
  p.keyword_only = keyword_only;
  if (auto equals = text.find('='); equals != text.npos) {
    const auto value = trim(text.substr(equals + 1));
    text = trim(text.substr(0, equals));
    const auto space = text.rfind(' ');
    read_type(op, trim(text.substr(0, space)), p);
    p.name = text.substr(space + 1);
    read_default(op, value, p);
  } else {
    const auto space = text.rfind(' ');
    read_type(op, trim(text.substr(0, space)), p);
    p.name = text.substr(space + 1);
  }
  p.interned = PyUnicode_InternFromString(p.name.c_str());
  add_other_names(p);
  return p;
}

// view(2, 3): the only parameter besides the tensor is a list.
bool takes_varargs(const Signature& s) {
  if (s.positional == 0 || s.positional > 2) return false;
  if (s.positional == 2 && s.params[0].type != Type::tensor) return false;
  const Param& last = s.params[s.positional - 1];
  return last.type == Type::ints && !last.from_one;
}

}  // namespace

Signature parse_signature(const Op& op, const char* text) {
  const std::string_view all(text);
  const auto close = all.rfind(") ->");
  if (all.front() != '(' || close == all.npos) bad(op, all);
  Signature s;
  s.op = &op;
  s.text = text;
  s.names_results = all.substr(close).find('(') != all.npos;
  s.returns_list = all.substr(close).find("[]") != all.npos;
  bool keyword_only = false;
  for (auto part : split(all.substr(1, close - 1))) {
    if (part == "*") {
      keyword_only = true;
      continue;
    }
    s.params.push_back(read_param(op, part, keyword_only));
    if (!keyword_only) ++s.positional;
    if (s.params.back().type == Type::requires_grad)
      s.requires_grad = static_cast<int>(s.params.size()) - 1;
  }
  s.varargs = takes_varargs(s);
  // Texts and lists of defaults move with their parameter: point at their final place.
  for (Param& p : s.params) {
    if (p.otherwise.kind == Arg::text) p.otherwise.text_p = p.default_text.c_str();
    if (p.otherwise.kind == Arg::ints) p.otherwise.ints_p = p.default_ints.data();
  }
  if (s.params.size() > kMaxParams) bad(op, "too many parameters");
  s.n_params = static_cast<int>(s.params.size());
  for (size_t i = 0; i < s.params.size(); ++i) {
    const Param& p = s.params[i];
    s.defaults[i] = p.otherwise;
    if (p.has_default && p.type != Type::operand && p.type != Type::scalar) s.may_lack |= 1u << i;
  }
  return s;
}

}  // namespace wend
