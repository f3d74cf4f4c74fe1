#pragma once
// Runs core work without the interpreter's lock; Ctrl-C stops it and arrives in Python as KeyboardInterrupt.

#include <nanobind/nanobind.h>

#include "spinney/interrupt.hpp"

namespace spinney::bindings {

template <class Work>
void run_hosted(Work&& work) {
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

}  // namespace spinney::bindings
