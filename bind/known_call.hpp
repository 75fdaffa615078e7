// bind/known_call.hpp: calls of an op that were read before. Where numbers, texts and names are the
// same objects, as they are when a line of a program runs again, only the tensors are read.
#pragma once

#include <array>

#include "bind/args.hpp"
#include "graph/recipe.hpp"

namespace wend {

// The arguments of a call as Python hands them over.
struct GivenArgs {
  PyObject* const* all;
  Py_ssize_t n_by_position;
  PyObject* names;  // of those that follow; may be null

  size_t size() const { return n_by_position + (names ? PyTuple_GET_SIZE(names) : 0); }
  std::span<PyObject* const> span() const { return {all, size()}; }
};

// The arguments of an op, wherever they are kept.
struct OpArgs {
  std::span<Arg> args;                 // in the order of the signature
  std::span<Node* const> list;         // what a list of tensors among them consists of
  std::span<PyObject* const> tensors;  // the tensor objects, for finding what a result aliases
  bool requires_grad = false;
  PyObject* out = nullptr;
};

class KnownCall {
 public:
  // Arguments of one more such call.
  struct Read {
    Read() {}
    static constexpr size_t kMost = 16;  // tensors
    union {
      Arg args[kMaxParams];
    };
    PyObject* tensors[kMost];
    Node* nodes[kMost];  // ... and theirs
    size_t n = 0;
    std::span<Node* const> list;

    std::span<Node* const> all_nodes() const { return {nodes, n}; }
  };

  KnownCall(const KnownCall&) = delete;
  ~KnownCall();
  // From a call that fits `s` and none of the signatures `before` it; none where it must be read
  // each time.
  static Ref<KnownCall> of(const Signature& s, std::span<const Signature> before,
                           const GivenArgs& given, const ParsedArgs& parsed);
  // False if it is another call.
  bool read(const GivenArgs& given, Read& to) const;
  OpArgs args_of(Read& read) const {
    return {{read.args, args_->n}, read.list, {read.tensors, read.n}, requires_grad_};
  }

  uint32_t refs = 1;
  const Signature& signature;
  AttrsRef attrs;   // of the node of a primitive, if its tensors come before them
  Recipes recipes;  // of a body

 private:
  struct Given {
    PyObject* constant;  // held, so that no other object takes its place; null for tensors
    int place;           // of which parameter it is
    bool list;           // of tensors
  };

  explicit KnownCall(const Signature& s) : signature(s) {}
  bool add(PyObject* o, int place);

  std::vector<Given> given_;
  Py_ssize_t n_by_position_ = 0;
  PyObject* names_ = nullptr;
  AttrsRef args_;  // all of them, those that are tensors to be filled in
  Values held_;    // numbers that stand for tensors
  bool requires_grad_ = false;
};
inline void release(KnownCall* call) { delete call; }

// Those of one function. What comes twice in a row at its place in the table is remembered, and
// less readily where others were remembered in vain.
class KnownCalls {
 public:
  static uint64_t hash_of(const GivenArgs& given);
  // None if there is none like it.
  Ref<KnownCall> find(uint64_t hash, const GivenArgs& given, KnownCall::Read& to) {
    Slot& slot = slot_of(hash);
    if (!slot.call || slot.hash_of_call != hash || !slot.call->read(given, to)) return nullptr;
    slot.used = true;
    return slot.call;
  }
  // Of a call that was not found: whether to remember it.
  bool is_worth_it(uint64_t hash);
  void remember(uint64_t hash, Ref<KnownCall> call);

 private:
  struct Slot {
    uint64_t hash = 0;  // of the last that was not found
    uint64_t hash_of_call = 0;
    Ref<KnownCall> call;
    bool used = true;
    uint8_t pause = 0, left = 0;  // so many are not remembered
  };
  // Two calls that take turns at a place have one each.
  Slot& slot_of(uint64_t hash) {
    Slot &first = slots_[hash >> 61], &second = slots_[hash >> 61 ^ 1];
    if (!first.call || first.hash_of_call == hash) [[likely]]
      return first;
    return !second.call || second.hash_of_call == hash ? second : first;
  }
  std::array<Slot, 8> slots_;
};

}  // namespace wend
