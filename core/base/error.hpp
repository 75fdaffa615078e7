// base/error.hpp: the one exception of the core, and how a message is put together.
// Which Python exception a kind becomes is decided in bind/.
#pragma once

#include <exception>
#include <sstream>
#include <string>
#include <utility>

namespace wend {

enum class ErrorKind : unsigned char {
  runtime,
  value,
  index,
  type,
  not_implemented,
  memory,
  buffer,  // memory cannot be shared
  zero_division,
  overflow,
  interrupted,  // the embedding program asked the run to stop; it holds the reason itself
};

class Error : public std::exception {
 public:
  Error(ErrorKind kind, std::string text) : kind(kind), text(std::move(text)) {}
  const char* what() const noexcept override { return text.c_str(); }

  ErrorKind kind;
  std::string text;
  std::string rule;      // what the call should have kept to, shown below the call
  bool located = false;  // the text says already which call and line raised it
};

template <class... Parts>
std::string join(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

// Kept out of line, so that callers stay short.
template <class... Parts>
[[noreturn, gnu::cold, gnu::noinline]] void fail(ErrorKind kind, const Parts&... parts) {
  throw Error(kind, join(parts...));
}

}  // namespace wend
