#include "learning/rmsprop.hpp"

#include <cmath>
#include <cstddef>
#include <stdexcept>

namespace widthwise {

void Rmsprop::step(std::span<float> weights, std::span<const float> gradient,
                   std::span<float> squares) const {
    if (gradient.size() != weights.size() || squares.size() != weights.size())
        throw std::invalid_argument("weights, gradient and squares are equally long");
    // Neither the rows nor the settings overlap: told so, the compiler does several numbers at a time.
    float* __restrict__ const weight = weights.data();
    const float* __restrict__ const slope = gradient.data();
    float* __restrict__ const square = squares.data();
    const auto [pace, keep, least] = *this;
    const float rest = 1 - keep;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const float mean = keep * square[i] + rest * slope[i] * slope[i];
        square[i] = mean;
        weight[i] -= pace * slope[i] / (std::sqrt(mean) + least);
    }
}

}  // namespace widthwise
