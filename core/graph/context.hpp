// graph/context.hpp: what a program is at while it is watched: in which module, example, walk back
// or step of an optimizer. Contexts are a tree; what is recorded belongs to the one that is open.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "graph/mode.hpp"
#include "graph/watch.hpp"

namespace wend {

enum class Scope : uint8_t {
  program,
  module,    // a call of a module; the name is its path within the module around it
  example,   // of wend.map; the name is its index
  backward,  // a walk back
  step,      // of an optimizer
  range,     // a stretch that the program names
};

struct ContextInfo {
  ContextId parent;
  Scope scope;
  std::string name;
};

// The context of that scope and name in the one that is open: the same each time. Beyond a number
// of contexts no new ones are made, and what happens there belongs to the one around it.
ContextId context_of(Scope scope, std::string_view name);
// Of a number that context_of gave, or 0, the program.
const ContextInfo& info_of(ContextId context);

// Opens a context, if somebody watches, and tells the watchers; returns what was open before.
ContextId enter(Scope scope, std::string_view name);
// Opens again what was open before.
void leave(ContextId before);

// A context that is open as long as this lives.
class InContext {
 public:
  InContext(Scope scope, std::string_view name) : before_(enter(scope, name)) {}
  InContext(const InContext&) = delete;
  ~InContext() { leave(before_); }

 private:
  const ContextId before_;
};

}  // namespace wend
