// bind/greenlet.cpp: finds the C interface of the greenlet package when it is first used.
#include "bind/greenlet.hpp"

namespace wend {
namespace {

// Places in the table of functions that the package exports, as in its header greenlet.h. Compiling
// wend does not need the package: it is imported when it is used.
constexpr size_t PyExc_GreenletExit_NUM = 2;
constexpr size_t PyGreenlet_New_NUM = 3;
constexpr size_t PyGreenlet_GetCurrent_NUM = 4;
constexpr size_t PyGreenlet_Throw_NUM = 5;
constexpr size_t PyGreenlet_Switch_NUM = 6;
constexpr size_t PyGreenlet_SetParent_NUM = 7;
constexpr size_t PyGreenlet_GET_PARENT_NUM = 11;

template <class F>
void take(F& function, void** table, size_t place) {
  function = reinterpret_cast<F>(table[place]);
}

Greenlets load() {
  auto** table = static_cast<void**>(PyCapsule_Import("greenlet._C_API", 0));
  if (!table) throw PythonError{};
  Greenlets found;
  take(found.exit, table, PyExc_GreenletExit_NUM);
  take(found.make, table, PyGreenlet_New_NUM);
  take(found.current, table, PyGreenlet_GetCurrent_NUM);
  take(found.raise_in, table, PyGreenlet_Throw_NUM);
  take(found.switch_to, table, PyGreenlet_Switch_NUM);
  take(found.set_parent, table, PyGreenlet_SetParent_NUM);
  take(found.parent, table, PyGreenlet_GET_PARENT_NUM);
  return found;
}

}  // namespace

const Greenlets& greenlets() {
  // Not set by its first initialisation: an import lets other threads go on, and one that came here
  // would wait for the end of it with Python's lock in its hands.
  static constinit Greenlets found = {};
  if (!found.make) found = load();
  return found;
}

}  // namespace wend
