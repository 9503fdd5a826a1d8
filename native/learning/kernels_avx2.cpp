// The loops for processors with AVX2: 8 numbers at a time. Compiled for them alone.
#ifdef __x86_64__
#define WIDTHWISE_VECTOR 32
#include "learning/kernel_loops.hpp"

namespace widthwise {

Kernels avx2_kernels() {
    return {convolve, add, moments, normalise, slopes, trace_back};
}

}  // namespace widthwise
#endif
