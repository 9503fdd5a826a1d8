// The extension module widthwise._native.
#include "bindings/bindings.hpp"

NB_MODULE(_native, module) {
    // A feature function that can reach its own search, as functions of a script can, is a cycle that the
    // garbage collector does not see. It lasts until the process ends. That is harmless and needs no warning.
    nanobind::set_leak_warnings(false);
    module.doc() = "Widthwise's kernels: grounding, states, novelty, search.";
    bind_lock(module);
    bind_core(module);
    bind_ground(module);
    bind_image(module);
    bind_learning(module);
    bind_states(module);
    bind_novelty(module);
    bind_search(module);
    bind_best_first(module);
    bind_guided(module);
    bind_walks(module);
    bind_invert(module);
    bind_depth_table(module);
    bind_improve(module);
    bind_watchdog(module);
}
