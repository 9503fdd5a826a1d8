// A step of RMSprop in two passes over memory; as separate operations on whole tensors it is nine.
#pragma once

#include <span>

#include "learning/rmsprop_kernels.hpp"

namespace widthwise {

// The gradient of a loss together with that of the l2 term, l2 times half the sum of the squared weights.
struct Slope {
    std::span<const float> gradient;  // of the loss alone
    float l2;
};

struct Squares {
    double gradient;
    double weights;
};

// The loops that this machine is best at.
RmspropKernels best_rmsprop();

// Sums of squares: of the gradient with its l2 part, and of the weights.
Squares squares(std::span<const float> weights, const Slope& slope,
                const RmspropKernels& kernels = best_rmsprop());

struct Rmsprop {
    float rate;
    float decay;    // of the running squares
    float epsilon;  // added to their roots

    // Moves weights against their gradient, l2 part included and times `scale`, each divided by the running
    // root mean square of its own. All rows are equally long.
    void step(std::span<float> weights, const Slope& slope, float scale, std::span<float> running,
              const RmspropKernels& kernels = best_rmsprop()) const;
};

}  // namespace widthwise
