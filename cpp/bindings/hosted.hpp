#pragma once
// Runs core work without the interpreter's lock; Ctrl-C stops it and arrives in Python as KeyboardInterrupt.

#include <nanobind/nanobind.h>

#include <memory>
#include <utility>

#include "spinney/interrupt.hpp"
#include "spinney/parallel.hpp"

namespace spinney::bindings {

template <class Work>
void run_hosted(Work&& work) {
  take_thread_data();
  try {
    const nanobind::gil_scoped_release release;
    Interrupt interrupt([] {
      const nanobind::gil_scoped_acquire acquire;
      return PyErr_CheckSignals() != 0;
    });
    work(interrupt);
    interrupt.obey();  // the host may have been asked while the last threads were waited for
  } catch (const Interrupted&) {
    throw nanobind::python_error();
  }
}

/// A Python object that core work may keep: threads copy and drop it without the interpreter's lock, which counting the
/// references of the object itself would need.
inline std::shared_ptr<nanobind::object> shared(nanobind::object object) {
  return {new nanobind::object(std::move(object)), [](nanobind::object* kept) {
            const nanobind::gil_scoped_acquire acquire;
            delete kept;
          }};
}

}  // namespace spinney::bindings
