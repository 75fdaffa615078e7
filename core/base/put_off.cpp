// base/put_off.cpp: letting go of what was put off, one after the other.
#include "base/put_off.hpp"

#include <utility>

namespace wend {
namespace {

[[gnu::tls_model("initial-exec")]] thread_local constinit bool letting_go = false;

}  // namespace

bool is_letting_go() { return letting_go; }

// What goes may hold what goes next, and so on for ever: its end is the loop's, not one more call.
void let_go_of_put_off() {
  if (letting_go || !may_call_user_code()) return;
  letting_go = true;
  while (!put_off.value.empty())
    for (const PutOff& one : std::exchange(put_off.value, {}))
      staying([&one] { one.let_go(one.what); });
  letting_go = false;
}

}  // namespace wend
