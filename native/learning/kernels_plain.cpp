// The loops for any machine: four numbers at a time.
#define WIDTHWISE_VECTOR 16
#include "learning/kernel_loops.hpp"

namespace widthwise {

Kernels plain_kernels() {
    return {convolve, add, moments, normalise, slopes, trace_back};
}

}  // namespace widthwise
