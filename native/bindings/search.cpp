// Python's view of the searches.
#include "bindings/bindings.hpp"

void bind_search(nanobind::module_&) {}
