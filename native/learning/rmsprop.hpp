// A step of RMSprop in one pass over memory; as separate operations on whole tensors it is five.
#pragma once

#include <span>

namespace widthwise {

struct Rmsprop {
    float rate;
    float decay;    // of the running squares
    float epsilon;  // added to their roots

    // Moves weights against their gradient, each divided by the running root mean square of its own. All
    // three are equally long.
    void step(std::span<float> weights, std::span<const float> gradient, std::span<float> squares) const;
};

}  // namespace widthwise
