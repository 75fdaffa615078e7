// bind/known_call.cpp: telling whether a call was read before, and reading its tensors.
#include "bind/known_call.hpp"

#include <algorithm>

namespace wend {
namespace {

bool is_list(PyObject* o) { return PyList_CheckExact(o) || PyTuple_CheckExact(o); }

std::span<PyObject* const> items_of(PyObject* list) {
  return {PySequence_Fast_ITEMS(list), static_cast<size_t>(PySequence_Fast_GET_SIZE(list))};
}

bool is_list_of_tensors(PyObject* o) {
  return is_list(o) && !items_of(o).empty() && is_tensor(items_of(o)[0]);
}

// True iff the object is read alike each time, whatever becomes of other objects.
bool is_constant(PyObject* o, Type type) {
  if (PyTuple_CheckExact(o))
    return type == Type::ints &&
           std::ranges::all_of(items_of(o), [](PyObject* i) { return PyLong_CheckExact(i); });
  return o == Py_None || PyLong_CheckExact(o) || PyFloat_CheckExact(o) || PyBool_Check(o) ||
         PyUnicode_CheckExact(o) || type == Type::dtype || type == Type::memory_format;
}

bool takes_any(const Param& p) { return p.type == Type::tensor || p.type == Type::operand; }

// A signature that does not fit: whether it would not for other tensors either. One that takes a
// number may take a tensor for it.
bool fits_no_tensors(const Signature& s, const GivenArgs& given) {
  for (size_t i = 0; i < given.size(); ++i) {
    PyObject* o = given.all[i];
    if (is_list_of_tensors(o)) return false;
    if (!is_tensor(o)) continue;
    const bool by_position = static_cast<Py_ssize_t>(i) < given.n_by_position;
    if (!by_position || (static_cast<int>(i) < s.positional && !takes_any(s.params[i])))
      return false;
  }
  return true;
}

bool all_tensors_first(std::span<const Arg> args) {
  bool rest = false;
  for (const Arg& a : args) {
    const bool tensor = a.kind == Arg::tensor || a.kind == Arg::tensors;
    if (a.kind == Arg::tensors || (tensor && rest)) return false;
    rest |= !tensor;
  }
  return rest;
}

}  // namespace

KnownCall::~KnownCall() {
  for (const Given& g : given_) Py_XDECREF(g.constant);
  Py_XDECREF(names_);
}

bool KnownCall::add(PyObject* o, int place) {
  if (place < 0) return false;
  const Param& p = signature.params[place];
  if (is_tensor(o)) {
    given_.push_back({nullptr, place, false});
    return takes_any(p);
  }
  if (is_list_of_tensors(o)) {
    given_.push_back({nullptr, place, true});
    return p.type == Type::tensors;
  }
  given_.push_back({Py_NewRef(o), place, false});
  return is_constant(o, p.type);
}

Ref<KnownCall> KnownCall::of(const Signature& s, std::span<const Signature> before,
                             const GivenArgs& given, const ParsedArgs& parsed) {
  if (parsed.out || s.n_params == 0) return nullptr;
  for (const Signature& other : before)
    if (!fits_no_tensors(other, given)) return nullptr;
  auto call = Ref<KnownCall>::adopt(new KnownCall(s));
  for (Py_ssize_t i = 0; i < static_cast<Py_ssize_t>(given.size()); ++i) {
    // Numbers beyond the last parameter are of its list.
    const int place =
        i < given.n_by_position
            ? std::min(static_cast<int>(i), s.positional - 1)
            : find_parameter(s, PyTuple_GET_ITEM(given.names, i - given.n_by_position));
    if (!call->add(given.all[i], place)) return nullptr;
  }
  call->n_by_position_ = given.n_by_position;
  call->names_ = Py_XNewRef(given.names);
  call->args_ = make_attrs(s.args(parsed.args));
  call->held_ = parsed.held;
  call->requires_grad_ = parsed.requires_grad;
  if (s.op->primitive() && !s.op->own_attrs && parsed.held.empty() &&
      all_tensors_first(s.args(parsed.args))) {
    const auto is_tensor = [](const Arg& a) { return a.kind == Arg::tensor; };
    const auto args = s.args(parsed.args);
    call->attrs = shared_attrs(*s.op, args.subspan(std::ranges::count_if(args, is_tensor)));
  }
  return call;
}

bool KnownCall::read(const GivenArgs& given, Read& to) const {
  if (given.names != names_ || given.n_by_position != n_by_position_) return false;
  for (uint32_t i = 0; i < args_->n; ++i) new (&to.args[i]) Arg(args_->items[i]);
  const auto read_tensor = [&](PyObject* o) {
    if (!is_tensor(o) || to.n == Read::kMost) return false;
    to.tensors[to.n] = o;
    to.nodes[to.n++] = variable_of(o).node();
    return true;
  };
  PyObject* const* next = given.all;
  for (const Given& known : given_) {
    PyObject* o = *next++;
    if (known.constant) {
      if (o != known.constant) return false;
    } else if (!known.list) {
      if (!read_tensor(o)) return false;
      to.args[known.place] = Arg::of(to.nodes[to.n - 1]);
    } else {
      if (!is_list(o)) return false;
      const size_t start = to.n;
      for (PyObject* item : items_of(o))
        if (!read_tensor(item)) return false;
      to.list = {to.nodes + start, to.n - start};
      to.args[known.place].nodes = to.nodes + start;
      to.args[known.place].n = static_cast<uint32_t>(to.n - start);
    }
  }
  return true;
}

// Tensors count as such only, all else by what object it is.
uint64_t KnownCalls::hash_of(const GivenArgs& given) {
  constexpr uint64_t kFactor = 0x9e3779b97f4a7c15u;
  const auto address = [](const void* p) { return reinterpret_cast<uintptr_t>(p) >> 4; };
  uint64_t h = address(given.names) + given.n_by_position;
  for (PyObject* o : given.span()) {
    // Numbers and texts take no part in garbage collection, unlike tensors and lists.
    const bool plain = !PyType_HasFeature(Py_TYPE(o), Py_TPFLAGS_HAVE_GC);
    const bool tensors = !plain && (is_tensor(o) || is_list_of_tensors(o));
    h = h * kFactor + (tensors ? 1 : address(o));
  }
  return h * kFactor;
}

bool KnownCalls::is_worth_it(uint64_t hash) {
  Slot& slot = slot_of(hash);
  if (std::exchange(slot.hash, hash) != hash) return false;
  return slot.left == 0 || --slot.left == 0;
}

void KnownCalls::remember(uint64_t hash, Ref<KnownCall> call) {
  Slot& slot = slot_of(hash);
  slot.pause = slot.used ? 0 : static_cast<uint8_t>(std::min(2 * slot.pause + 1, 255));
  slot.left = slot.pause;
  slot.used = false;
  slot.hash_of_call = hash;
  slot.call = std::move(call);
}

}  // namespace wend
