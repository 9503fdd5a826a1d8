// Python's view of the grounder.
#include "bindings/bindings.hpp"

void bind_ground(nanobind::module_&) {}
