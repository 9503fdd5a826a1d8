// Python's view of the watchdog.
#include "core/watchdog.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings/bindings.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using widthwise::Watchdog;

void bind_watchdog(nb::module_& module) {
    nb::class_<Watchdog>(module, "Watchdog")
        .def(nb::init<double, double, double, int, int>(), "seconds"_a, "deadline"_a, "grace"_a, "signal"_a,
             "exit_code"_a)
        .def("enter", &Watchdog::enter, "kind"_a, "step"_a, "action"_a)
        .def("leave", &Watchdog::leave)
        .def("stop", &Watchdog::stop)
        .def("expired", &Watchdog::expired)
        .def("prepare", &Watchdog::prepare, "name"_a, "out"_a, "draft"_a, "line"_a, "path"_a,
             "advice"_a = "");
}
