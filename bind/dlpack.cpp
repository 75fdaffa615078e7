// bind/dlpack.cpp: memory shared with other libraries by way of DLPack capsules. The structs are
// those of the DLPack specification, versions 0.8 and 1.0; what sharing means is tensor/variable.
#include "bind/dlpack.hpp"

#include <memory>

#include "bind/tensor.hpp"
#include "graph/record.hpp"
#include "ops/functions.hpp"

namespace wend {
namespace {

struct Device {
  int32_t type, id;
};

struct Element {
  uint8_t code, bits;
  uint16_t lanes;
};

struct DLTensor {
  void* data;
  Device device;
  int32_t ndim;
  Element dtype;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
};

struct Managed {
  static constexpr const char* name = "dltensor";
  static constexpr const char* used = "used_dltensor";

  DLTensor tensor;
  void* context;
  void (*deleter)(Managed*);
};

struct ManagedVersioned {
  static constexpr const char* name = "dltensor_versioned";
  static constexpr const char* used = "used_dltensor_versioned";

  struct {
    uint32_t major, minor;
  } version;
  void* context;
  void (*deleter)(ManagedVersioned*);
  uint64_t flags;
  DLTensor tensor;
};

constexpr int32_t kCpu = 1;
constexpr uint64_t kReadOnly = 1;
enum Code : uint8_t { kInt = 0, kUInt = 1, kFloat = 2, kBfloat = 4, kBool = 6 };

Element element_of(DType t) {
  const auto bits = static_cast<uint8_t>(size_of(t) * 8);
  const Code code = t == DType::bool_      ? kBool
                    : t == DType::uint8    ? kUInt
                    : t == DType::bfloat16 ? kBfloat
                    : is_floating(t)       ? kFloat
                                           : kInt;
  return {code, bits, 1};
}

DType dtype_of(Element e) {
  for (int i = 0; i < dtype_count; ++i) {
    const Element mine = element_of(static_cast<DType>(i));
    if (mine.code == e.code && mine.bits == e.bits && e.lanes == 1) return static_cast<DType>(i);
  }
  fail(ErrorKind::runtime, "Unsupported DLPack dtype: code ", int{e.code}, ", ", int{e.bits},
       " bits, ", e.lanes, " lanes");
}

// Holds a tensor's memory open for a consumer. May be given up by any thread.
template <class M>
struct Lent {
  M managed{};
  Buffer* buffer;
  int64_t shape[kMaxDims], strides[kMaxDims];

  static void give_up(M* managed) {
    if (!Py_IsInitialized()) return;
    const PyGILState_STATE state = PyGILState_Ensure();
    std::unique_ptr<Lent> lent(static_cast<Lent*>(managed->context));
    take_back(*lent->buffer);
    BufferRef::adopt(lent->buffer);
    PyGILState_Release(state);
  }
};

template <class M>
void forget_capsule(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, M::name)) return;
  auto* managed = static_cast<M*>(PyCapsule_GetPointer(capsule, M::name));
  if (managed->deleter) managed->deleter(managed);
}

template <class M>
PyObject* capsule_of(PyObject* tensor) {
  Variable& v = variable_of(tensor);
  Buffer& storage = v.exposed_storage();
  const Node& n = v.shape();
  auto lent = std::make_unique<Lent<M>>();
  lent->managed.context = lent.get();
  lent->managed.deleter = Lent<M>::give_up;
  std::ranges::copy(n.sizes(), lent->shape);
  std::ranges::copy(n.strides(), lent->strides);
  lent->managed.tensor = {storage.data + n.offset * size_of(n.dtype),
                          {kCpu, 0},
                          n.ndim(),
                          element_of(n.dtype),
                          lent->shape,
                          lent->strides,
                          0};
  if constexpr (requires { lent->managed.version; }) lent->managed.version = {1, 0};
  const Object capsule(PyCapsule_New(&lent->managed, M::name, forget_capsule<M>));
  lend(storage);
  lent->buffer = BufferRef(&storage).leak();
  lent.release();
  return Py_NewRef(capsule.get());
}

// Nothing that a capsule says is believed before it was looked at.
void check_plausible(const DLTensor& t) {
  if (t.ndim < 0 || t.ndim > kMaxDims)
    fail(ErrorKind::buffer, "the DLPack tensor has ", t.ndim, " dimensions; wend has from 0 to ",
         kMaxDims);
  if (t.ndim > 0 && !t.shape) fail(ErrorKind::buffer, "the DLPack tensor has no shape");
  for (int i = 0; i < t.ndim; ++i)
    if (t.shape[i] < 0)
      fail(ErrorKind::buffer, "the DLPack tensor has a negative size, ", t.shape[i],
           " at dimension ", i);
}

// The first element; null where there are none.
char* data_of(const DLTensor& t, const Layout& layout) {
  if (layout.numel == 0) return nullptr;
  const auto base = reinterpret_cast<uintptr_t>(t.data);
  uintptr_t begin = 0, end = 0;
  const auto bytes = static_cast<uintptr_t>(layout.span) * size_of(dtype_of(t.dtype));
  if (!t.data || __builtin_add_overflow(base, t.byte_offset, &begin) ||
      __builtin_add_overflow(begin, bytes, &end))
    fail(ErrorKind::buffer, "the DLPack tensor lies at no possible address: data ", t.data,
         ", byte_offset ", t.byte_offset, ", sizes ", show(layout.sizes()));
  return reinterpret_cast<char*>(begin);
}

LayoutRef layout_of(const DLTensor& t) {
  check_plausible(t);
  const std::span sizes(t.shape, static_cast<size_t>(t.ndim));
  if (!t.strides) return contiguous(sizes);
  const std::span strides(t.strides, static_cast<size_t>(t.ndim));
  for (int64_t stride : strides)
    if (stride < 0) fail(ErrorKind::buffer, "tensors with negative strides are not supported");
  return intern(sizes, strides);
}

template <class M>
constexpr Lender kConsumer = {[](void* keeper) {
                                auto* managed = static_cast<M*>(keeper);
                                if (managed->deleter) managed->deleter(managed);
                              },
                              nullptr};

template <class M>
PyObject* tensor_of(PyObject* capsule) {
  auto* managed = static_cast<M*>(PyCapsule_GetPointer(capsule, M::name));
  const DLTensor& t = managed->tensor;
  if (t.device.type != kCpu)
    fail(ErrorKind::buffer, "wend runs on the CPU: the DLPack tensor is on device type ",
         t.device.type);
  const DType dtype = dtype_of(t.dtype);
  const LayoutRef layout = layout_of(t);
  char* data = data_of(t, *layout);
  if (reinterpret_cast<uintptr_t>(data) % size_of(dtype))
    fail(ErrorKind::buffer, "the DLPack tensor is not aligned to its element size");
  bool read_only = false;
  if constexpr (requires { managed->flags; }) read_only = managed->flags & kReadOnly;
  check(PyCapsule_SetName(capsule, M::used));
  const auto bytes = static_cast<size_t>(layout->span * size_of(dtype));
  BufferRef buffer = borrow(data, bytes, kConsumer<M>, managed, read_only);
  return wrap(from_buffer(op_named("data"), std::move(buffer), dtype, layout.get()));
}

}  // namespace

PyObject* to_dlpack(PyObject* tensor, bool versioned) {
  if (variable_of(tensor).node()->needs_grad())
    raise(PyExc_BufferError, "Can't export tensors that require gradient, use tensor.detach()");
  return versioned ? capsule_of<ManagedVersioned>(tensor) : capsule_of<Managed>(tensor);
}

PyObject* from_dlpack(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, ManagedVersioned::name))
    return tensor_of<ManagedVersioned>(capsule);
  if (PyCapsule_IsValid(capsule, Managed::name)) return tensor_of<Managed>(capsule);
  raise(PyExc_RuntimeError,
        "from_dlpack received an invalid capsule. Note that DLTensor capsules can be consumed only "
        "once, so you might have already constructed a tensor from it once.");
}

}  // namespace wend
