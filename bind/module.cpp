// bind/module.cpp: the extension module: types, ops, and switches. No logic lives here.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include "base/denormals.hpp"
#include "base/threads.hpp"
#include "base/write_watch.hpp"
#include "bind/attributes.hpp"
#include "bind/autograd.hpp"
#include "bind/convert.hpp"
#include "bind/dlpack.hpp"
#include "bind/function.hpp"
#include "bind/generator.hpp"
#include "bind/grad_fn.hpp"
#include "bind/graph.hpp"
#include "bind/hub.hpp"
#include "bind/interop.hpp"
#include "bind/op_function.hpp"
#include "bind/report.hpp"
#include "bind/saved.hpp"
#include "bind/source.hpp"
#include "bind/types.hpp"
#include "bind/watch.hpp"
#include "exec/company.hpp"
#include "exec/flight.hpp"
#include "exec/late.hpp"
#include "exec/run.hpp"
#include "exec/turn.hpp"
#include "graph/mode.hpp"
#include "graph/outside.hpp"
#include "graph/record.hpp"
#include "kernels/level.hpp"
#include "kernels/turned.hpp"

namespace nb = nanobind;

namespace wend {
namespace {

bool python_ends() {
#if PY_VERSION_HEX >= 0x030d0000
  return Py_IsFinalizing();
#else
  return _Py_IsFinalizing();
#endif
}

void lock_python(void* state) {
  staying([&] { PyEval_RestoreThread(static_cast<PyThreadState*>(state)); });
}

void init_host() {
  host = {
      .unlock = []() -> void* { return PyEval_SaveThread(); },
      .lock = lock_python,
      .interrupted = [] { return PyErr_CheckSignals() != 0; },
      .ends = python_ends,
  };
  Py_AtExit(wait_for_kernels);
}

void translate(const std::exception_ptr& p, void*) {
  try {
    std::rethrow_exception(p);
  } catch (const Error& e) {
    set_python_error(e);
  } catch (const PythonError&) {
    // Python has its exception already.
  }
}

void bind_modes(nb::module_& m) {
  m.def("is_grad_enabled", [] { return mode.grad; });
  m.def("_set_grad_enabled", [](bool on) { mode.grad = on; });
  m.def("is_inference_mode_enabled", [] { return mode.inference; });
  m.def("_set_inference", [](bool on) { mode.inference = on; });
  m.def("is_anomaly_enabled", [] { return mode.anomaly; });
  m.def("is_anomaly_check_nan_enabled", [] { return mode.check_nan; });
  m.def("_set_anomaly_enabled", [](bool on, bool check_nan) {
    mode.anomaly = on;
    mode.check_nan = check_nan;
  });
  m.def("_batching", [] { return mode.batching; });
  m.def("_set_batching", [](bool on) { mode.batching = on; });
  m.def("_set_launches_from",
        [](int64_t nanoseconds) { return std::exchange(launches_from, nanoseconds); });
  m.def("_set_early_start", [](size_t nodes, size_t members) {
    const EarlyStart before = std::exchange(early_start, {nodes, members});
    pending.look_at = 0;
    return std::pair(before.nodes, before.members);
  });
  m.def("_set_waiting_costs", [](int64_t to_switch, int64_t to_batch) {
    const WaitingCosts before = std::exchange(waiting_costs, {to_switch, to_batch});
    return std::pair(before.to_switch, before.to_batch);
  });
  m.def("_let_kernels_fail", let_kernels_fail);
  m.def("_set_late_kinds_from", [](size_t nodes) { return std::exchange(late_kinds_from, nodes); });
  m.def("_set_watches_writes", [](bool on) { return std::exchange(watches_writes, on); });
  m.def("_set_taken_bytes", [](size_t at_first, size_t at_all) {
    const TakenBytes before = std::exchange(taken_bytes, {at_first, at_all});
    return std::pair(before.at_first, before.at_all);
  });
  m.def("_fuses_from", [] { return mode.fuses_from; });
  m.def("_set_fuses_from", [](int64_t elements) { mode.fuses_from = elements; });
  m.def("_eager", [] { return mode.eager; });
  m.def("_set_eager", [](bool on) { mode.eager = on; });
  m.def("get_default_dtype", [] { return nb::borrow(dtype_object(default_dtype())); });
  m.def("_set_default_dtype", [](nb::handle t) {
    DType dtype;
    if (!to_dtype(t.ptr(), dtype) || !is_floating(dtype))
      fail(ErrorKind::type, "only floating-point types are supported as the default type");
    set_default_dtype(dtype);
  });
}

void bind_running(nb::module_& m) {
  m.def("_run", run_pending);
  m.def("_finish_kernels", finish_kernels);
  m.def("_watch_workers", [](bool watch) { return watches_workers.exchange(watch); });
  m.def("_worker_was_held_up", worker_was_held_up);
  m.def("_settle", [] { settle(/*finish=*/false); });
  m.def("_set_laziness", [](size_t nodes, size_t bytes) {
    pending.max_nodes = nodes;
    pending.max_bytes = bytes;
    pending.look_at = 0;
  });
  m.def("_laziness", [] { return std::pair(pending.max_nodes, pending.max_bytes); });
  // What a fork finds is whole.
  m.def("_before_fork", [] {
    take_turn(Rank::soon);
    land_all();
  });
  m.def("_after_fork", give_turn);
  m.def("_after_fork_in_child", [] {
    forget_other_threads();
    give_turn();
  });
  m.def("_at_exit", [] {
    const TakeTurn taken(Rank::soon);
    land_all();
  });
  m.def("get_num_threads", num_threads);
  m.def("_set_num_threads", set_num_threads);
  m.def("set_flush_denormal", [](bool mode) {
    if (can_flush_denormals) flush_denormals = mode;
    return can_flush_denormals;
  });
  m.def("_cpu_level", [] { return level().name; });
  m.def("_live_nodes", [] {
    finish_kernels();
    return live_nodes();
  });
  m.def("_counters", [] {
    nb::dict d;
    d["runs"] = counters.runs;
    d["nodes"] = counters.nodes;
    d["kernels"] = counters.kernels;
    d["batches"] = counters.batches;
    d["batched"] = counters.batched;
    d["fusions"] = counters.fusions;
    d["fused"] = counters.fused;
    d["launched"] = counters.launched;
    d["donated"] = counters.donated;
    d["bytes"] = counters.bytes;
    d["outside_copies"] = outside_counters.copies;
    d["outside_again"] = outside_counters.again;
    d["outside_at_once"] = outside_counters.at_once;
    d["recorded"] = nodes_recorded();
    d["pending"] = pending.live;
    d["in_flight"] = in_flight();
    d["pending_bytes"] = pending.bytes;
    d["pinned_bytes"] = pending.pinned;
    return d;
  });
  m.def("_memory_stats", [] {
    finish_kernels();
    const MemoryStats s = memory_stats();
    nb::dict d;
    d["allocated_bytes"] = s.allocated_bytes;
    d["peak_bytes"] = s.peak_bytes;
    d["cached_bytes"] = s.cached_bytes;
    d["reserved_bytes"] = s.reserved_bytes;
    d["peak_reserved_bytes"] = s.peak_reserved_bytes;
    d["buffers"] = s.buffers;
    d["allocations"] = s.allocations;
    return d;
  });
  m.def("_reset_peak_memory_stats", reset_peak_memory_stats);
  m.def("_empty_cache", [] {
    forget_turned();
    empty_cache();
  });
}

void bind_data(nb::module_& m) {
  m.def("_tensor_over_buffer", [](nb::handle o) { return nb::steal(tensor_over_buffer(o.ptr())); });
  m.def("_tensor_over_bytes", [](nb::handle o, nb::handle dtype, int64_t count, int64_t offset) {
    DType t;
    if (!to_dtype(dtype.ptr(), t)) raise(PyExc_TypeError, "dtype must be torch.dtype");
    return nb::steal(tensor_over_bytes(o.ptr(), t, count, offset));
  });
  m.def("_copy_of_bytes", [](nb::handle o, nb::handle dtype, int64_t count) {
    DType t;
    if (!to_dtype(dtype.ptr(), t)) raise(PyExc_TypeError, "dtype must be torch.dtype");
    return nb::steal(copy_of_bytes(o.ptr(), t, count));
  });
  m.def(
      "_is_foreign_array", [](nb::handle o) { return is_foreign_array(o.ptr()); },
      nb::arg().none());
  m.def("_register", [](const char* name, nb::handle o) { register_type(name, o.ptr()); });
  m.def("_add_method", [](nb::handle name, nb::handle f) {
    check(PyObject_SetAttr(reinterpret_cast<PyObject*>(&tensor_type), name.ptr(), f.ptr()));
  });
  m.def("_init_source", [](const char* directory) { init_source(directory); });
  m.def("_legacy_tensor", [](nb::handle dtype, nb::tuple args) {
    DType t;
    if (!to_dtype(dtype.ptr(), t)) raise(PyExc_TypeError, "dtype must be torch.dtype");
    return nb::steal(legacy_tensor(&tensor_type, args.ptr(), t));
  });
  m.def("_to_dlpack",
        [](nb::handle t, bool versioned) { return nb::steal(to_dlpack(t.ptr(), versioned)); });
  m.def("_from_dlpack", [](nb::handle capsule) { return nb::steal(from_dlpack(capsule.ptr())); });
}

}  // namespace
}  // namespace wend

NB_MODULE(_C, m) {
  using namespace wend;
  // A daemon thread that ends with the process may leave a map unfinished, which is no leak.
  nb::set_leak_warnings(false);
  nb::register_exception_translator(translate);
  init_host();
  init_interop();
  init_tensor_type(m.ptr());
  init_types(m.ptr());
  init_convert(m.ptr());
  init_generator(m.ptr());
  init_grad_fn(m.ptr());
  init_function(m.ptr());
  init_saved(m.ptr());
  init_autograd(m.ptr());
  init_op_functions(m.ptr());
  bind_modes(m);
  bind_running(m);
  bind_data(m);
  init_hub(m);
  init_graph(m);
  init_report(m);
  init_watch(m);
}
