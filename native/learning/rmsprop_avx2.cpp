// RMSprop for processors with AVX2. Compiled for them alone.
#ifdef __x86_64__
#define WIDTHWISE_VECTOR 32
#include "learning/rmsprop_loops.hpp"

namespace widthwise {

RmspropKernels avx2_rmsprop() {
    return {sum_squares, step_all};
}

}  // namespace widthwise
#endif
