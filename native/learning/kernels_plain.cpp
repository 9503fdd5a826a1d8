// The loops for any machine: four numbers at a time.
#define WIDTHWISE_VECTOR 16
#include "learning/kernels.inl"

namespace widthwise {

Kernels plain_kernels() {
    return {convolve, add};
}

}  // namespace widthwise
