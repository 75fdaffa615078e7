// bind/report.cpp: what ran, and why not as one, as data for Python.
// What it means is core/exec/report's, how it is shown the package's.
#include "exec/report.hpp"

#include <nanobind/stl/vector.h>

#include "bind/place.hpp"
#include "bind/report.hpp"

namespace nb = nanobind;

namespace wend {
namespace {

int open_reports = 0;

void open_report() {
  if (open_reports++ == 0) report = new Report;
}

void close_report() {
  if (--open_reports == 0) delete std::exchange(report, nullptr);
}

const char* name_of(Apart why) {
  switch (why) {
    case Apart::inputs:
      return "inputs";
    case Apart::shape:
      return "shape";
    case Apart::dtype:
      return "dtype";
    case Apart::strides:
      return "strides";
    case Apart::attribute:
      return "attribute";
    case Apart::result:
      return "result";
    case Apart::gradient:
      return "gradient";
    case Apart::weight:
      return "weight";
    case Apart::refused:
      return "refused";
    case Apart::no_rule:
      return "no_rule";
    case Apart::watched:
      return "watched";
    case Apart::nothing_alike:
      return "nothing_alike";
    case Apart::too_few:
      return "too_few";
  }
  return "";
}

std::optional<Place> place(const Report::Key& key) { return place_of({key.code, key.instruction}); }

// A list with what `row` makes of each entry.
template <class T, class F>
nb::list rows_of(const Report::Map<T>& map, F row) {
  nb::list rows;
  for (const auto& [key, value] : map) rows.append(row(key, value));
  return rows;
}

// (op, place, calls, nanoseconds, bytes)
nb::list kernel_times() {
  return rows_of(report->kernels, [](const Report::Key& key, const Report::Kernels& k) {
    return nb::make_tuple(key.op->name, place(key), k.calls, k.nanoseconds, k.bytes);
  });
}

// (op, place, values, bytes)
nb::list held_at_peak() {
  return rows_of(report->at_peak, [](const Report::Key& key, const Report::Held& held) {
    return nb::make_tuple(key.op->name, place(key), held.values, held.bytes);
  });
}

// (op, place, nodes in one batch, batches)
nb::list batch_sizes() {
  return rows_of(report->batches, [](const Report::Key& key, uint64_t times) {
    return nb::make_tuple(key.op->name, place(key), key.slot, times);
  });
}

// (names of the ops, separated by blanks, times)
nb::list fused_ops() {
  nb::list rows;
  for (const auto& [names, times] : report->fusions)
    rows.append(nb::make_tuple(names.c_str(), times));
  return rows;
}

// (tensor in words, reads, of them at once, nanoseconds of the others)
nb::list shared_reads() {
  nb::list rows;
  for (const auto& [tensor, total] : report->shared)
    rows.append(nb::make_tuple(tensor, total.reads, total.at_once, total.nanoseconds));
  return rows;
}

// (code object, instruction, place, times, runs, nodes in them, gain of waiting)
nb::list value_reads() {
  return rows_of(report->reads, [](const Report::Key& key, const Report::Reads& r) {
    const nb::object code = key.code ? nb::borrow(static_cast<PyObject*>(key.code)) : nb::none();
    return nb::make_tuple(code, key.instruction, place(key), r.times, r.runs, r.nodes, r.gain);
  });
}

// (op, signature, place, why, slot, nodes, parts, times, texts)
nb::list batch_gaps() {
  return rows_of(report->parts, [](const Report::Key& key, const Report::Parts& p) {
    return nb::make_tuple(key.op->name, key.op->signature, place(key), name_of(key.why), key.slot,
                          p.nodes, p.parts, p.times, p.texts);
  });
}

// Nanoseconds by activity.
nb::dict time_spent() {
  nb::dict spent;
  spent["kernels"] = report->spent(Activity::kernels);
  spent["planning"] = report->spent(Activity::planning);
  spent["recording"] = report->spent(Activity::recording);
  spent["Python"] = report->spent(Activity::outside);
  spent["report"] = report->spent(Activity::watching);
  return spent;
}

}  // namespace

void init_report(nb::module_& m) {
  m.def("_open_report", open_report);
  m.def("_close_report", close_report);
  m.def("_kernel_times", kernel_times);
  m.def("_held_at_peak", held_at_peak);
  m.def("_batch_sizes", batch_sizes);
  m.def("_fused_ops", fused_ops);
  m.def("_value_reads", value_reads);
  m.def("_batch_gaps", batch_gaps);
  m.def("_shared_reads", shared_reads);
  m.def("_time_spent", time_spent);
}

}  // namespace wend
