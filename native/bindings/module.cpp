// The extension module widthwise._native.
#include "bindings/bindings.hpp"

NB_MODULE(_native, module) {
    module.doc() = "Widthwise's kernels: grounding, states, novelty, search.";
    bind_core(module);
    bind_ground(module);
    bind_image(module);
    bind_search(module);
    bind_depth_table(module);
}
