// RMSprop for any machine.
#define WIDTHWISE_VECTOR 16
#include "learning/rmsprop_loops.hpp"

namespace widthwise {

RmspropKernels plain_rmsprop() {
    return {sum_squares, step_all};
}

}  // namespace widthwise
