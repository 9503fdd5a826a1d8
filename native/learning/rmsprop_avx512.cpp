// RMSprop for processors with AVX-512. Compiled for them alone.
#ifdef __x86_64__
#define WIDTHWISE_VECTOR 64
#include "learning/rmsprop_loops.hpp"

namespace widthwise {

RmspropKernels avx512_rmsprop() {
    return {sum_squares, step_all};
}

}  // namespace widthwise
#endif
