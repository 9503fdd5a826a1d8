#include "learning/rmsprop.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>

namespace widthwise {

namespace {

// Sums that are added up side by side; the compiler would not do several at a time unless told so.
constexpr std::size_t kSums = 16;
typedef float Lanes __attribute__((vector_size(kSums * sizeof(float)), aligned(4), may_alias));
// So many numbers are summed up in 32 bits before they are added to a sum of 64.
constexpr std::size_t kStretch = 1024;

}  // namespace

Squares squares(std::span<const float> weights, const Slope& slope) {
    if (slope.gradient.size() != weights.size())
        throw std::invalid_argument("weights and gradient are equally long");
    Squares found{0, 0};
    for (std::size_t begin = 0; begin < weights.size(); begin += kStretch) {
        const std::size_t count = std::min(kStretch, weights.size() - begin);
        const float* const weight = weights.data() + begin;
        const float* const part = slope.gradient.data() + begin;
        Lanes of_gradient = {};
        Lanes of_weights = {};
        std::size_t i = 0;
        for (; i + kSums <= count; i += kSums) {
            const Lanes numbers = *reinterpret_cast<const Lanes*>(weight + i);
            const Lanes whole = *reinterpret_cast<const Lanes*>(part + i) + slope.l2 * numbers;
            of_gradient += whole * whole;
            of_weights += numbers * numbers;
        }
        for (; i < count; ++i) {
            const float whole = part[i] + slope.l2 * weight[i];
            of_gradient[0] += whole * whole;
            of_weights[0] += weight[i] * weight[i];
        }
        for (std::size_t sum = 0; sum < kSums; ++sum) {
            found.gradient += static_cast<double>(of_gradient[sum]);
            found.weights += static_cast<double>(of_weights[sum]);
        }
    }
    return found;
}

void Rmsprop::step(std::span<float> weights, const Slope& slope, float scale,
                   std::span<float> running) const {
    if (slope.gradient.size() != weights.size() || running.size() != weights.size())
        throw std::invalid_argument("weights, gradient and running squares are equally long");
    // Neither the rows nor the settings overlap: told so, the compiler does several numbers at a time.
    float* __restrict__ const weight = weights.data();
    const float* __restrict__ const part = slope.gradient.data();
    float* __restrict__ const square = running.data();
    const auto [pace, keep, least] = *this;
    const float rest = 1 - keep;
    const float l2 = slope.l2;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const float whole = (part[i] + l2 * weight[i]) * scale;
        const float mean = keep * square[i] + rest * whole * whole;
        square[i] = mean;
        weight[i] -= pace * whole / (std::sqrt(mean) + least);
    }
}

}  // namespace widthwise
