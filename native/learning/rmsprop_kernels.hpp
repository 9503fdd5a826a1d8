// The inner loops of RMSprop, compiled once for every kind of vector registers.
#pragma once

#include <cstddef>

namespace widthwise {

struct RmspropNumbers {
    float rate;
    float decay;
    float epsilon;
    float l2;
    float scale;
};

struct RmspropKernels {
    // Two sums of squares: of the gradient plus l2 times the weights, and of the weights.
    void (*squares)(const float* weights, const float* gradient, std::size_t size, float l2, double* sums);
    void (*step)(float* weights, const float* gradient, float* running, std::size_t size,
                 const RmspropNumbers& numbers);
};

RmspropKernels plain_rmsprop();
#ifdef __x86_64__
RmspropKernels avx2_rmsprop();
RmspropKernels avx512_rmsprop();
#endif

}  // namespace widthwise
