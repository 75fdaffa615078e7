// graph/context.cpp: the tree of contexts.
#include "graph/context.hpp"

#include <unordered_map>
#include <vector>

#include "base/forever.hpp"

namespace wend {
namespace {

constexpr size_t kMost = size_t{1} << 20;

struct Contexts {
  std::vector<ContextInfo> all{{0, Scope::program, ""}};
  std::unordered_map<std::string, ContextId> numbers;  // by parent, scope and name
};
constinit Forever<Contexts*> contexts;

// Made when somebody watches for the first time.
Contexts& tree() {
  if (!contexts.value) contexts.value = new Contexts;
  return *contexts.value;
}

std::string key_of(ContextId parent, Scope scope, std::string_view name) {
  std::string key(reinterpret_cast<const char*>(&parent), sizeof(parent));
  key += static_cast<char>(scope);
  key += name;
  return key;
}

}  // namespace

ContextId context_of(Scope scope, std::string_view name) {
  auto& [all, numbers] = tree();
  const auto [known, is_new] = numbers.try_emplace(key_of(mode.context, scope, name));
  if (!is_new) return known->second;
  if (all.size() == kMost) {
    numbers.erase(known);
    return mode.context;
  }
  known->second = static_cast<ContextId>(all.size());
  all.push_back({mode.context, scope, std::string(name)});
  return known->second;
}

const ContextInfo& info_of(ContextId context) { return tree().all.at(context); }

ContextId enter(Scope scope, std::string_view name) {
  const ContextId before = mode.context;
  if (!is_watched()) return before;
  mode.context = context_of(scope, name);
  if (mode.context != before) tell_entered(mode.context);
  return before;
}

void leave(ContextId before) {
  if (mode.context == before) return;
  if (is_watched()) tell_left(mode.context);
  mode.context = before;
}

}  // namespace wend
