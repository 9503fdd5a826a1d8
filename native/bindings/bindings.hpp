// One function per room of the native code; module.cpp calls them all.
#pragma once

#include <nanobind/nanobind.h>

#include <new>

#include "bindings/lock.hpp"
#include "core/meter.hpp"

void bind_lock(nanobind::module_& module);
void bind_core(nanobind::module_& module);
void bind_ground(nanobind::module_& module);
void bind_image(nanobind::module_& module);
void bind_invert(nanobind::module_& module);
void bind_learning(nanobind::module_& module);
void bind_states(nanobind::module_& module);
void bind_novelty(nanobind::module_& module);
void bind_search(nanobind::module_& module);
void bind_best_first(nanobind::module_& module);
void bind_guided(nanobind::module_& module);
void bind_walks(nanobind::module_& module);
void bind_depth_table(nanobind::module_& module);
void bind_improve(nanobind::module_& module);
void bind_watchdog(nanobind::module_& module);

// Raises what a signal handler raised while a kernel was working; see signals_say_stop in core.cpp.
inline void raise_pending() {
    if (PyErr_Occurred()) throw nanobind::python_error();
}

// Raises that the meter said to stop, for kernels that have no status to return.
[[noreturn]] inline void raise_halted(const widthwise::Halted& halted) {
    raise_pending();
    if (halted.why == widthwise::Halt::memory) throw std::bad_alloc();
    PyErr_SetString(PyExc_InterruptedError, "the meter said to stop");
    throw nanobind::python_error();
}
