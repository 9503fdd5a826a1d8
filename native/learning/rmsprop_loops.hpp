// The loops of RMSprop. Each file that includes this is compiled for other vector registers, so all is in an
// unnamed namespace, and no function of the library is called. Products and sums are rounded one by one:
// the results are the same with all registers.

#include <cmath>
#include <cstddef>

#include "learning/rmsprop_kernels.hpp"

namespace widthwise {
namespace {

typedef float Lanes __attribute__((vector_size(WIDTHWISE_VECTOR), aligned(4), may_alias));

constexpr std::size_t kLanes = WIDTHWISE_VECTOR / sizeof(float);
// Sums that are added up side by side, whatever the registers.
constexpr std::size_t kSums = 16;
// So many numbers are summed up in 32 bits before they are added to a sum of 64.
constexpr std::size_t kStretch = 1024;

void sum_squares(const float* weights, const float* gradient, std::size_t size, float l2, double* sums) {
    double found[2] = {0, 0};
    for (std::size_t begin = 0; begin < size; begin += kStretch) {
        const std::size_t count = kStretch < size - begin ? kStretch : size - begin;
        const float* const weight = weights + begin;
        const float* const part = gradient + begin;
        Lanes of_gradient[kSums / kLanes] = {};
        Lanes of_weights[kSums / kLanes] = {};
        std::size_t i = 0;
        for (; i + kSums <= count; i += kSums) {
            for (std::size_t v = 0; v < kSums / kLanes; ++v) {
                const Lanes numbers = *reinterpret_cast<const Lanes*>(weight + i + v * kLanes);
                const Lanes whole = *reinterpret_cast<const Lanes*>(part + i + v * kLanes) + l2 * numbers;
                of_gradient[v] += whole * whole;
                of_weights[v] += numbers * numbers;
            }
        }
        for (; i < count; ++i) {
            const float whole = part[i] + l2 * weight[i];
            of_gradient[0][0] += whole * whole;
            of_weights[0][0] += weight[i] * weight[i];
        }
        for (std::size_t sum = 0; sum < kSums; ++sum) {
            found[0] += static_cast<double>(of_gradient[sum / kLanes][sum % kLanes]);
            found[1] += static_cast<double>(of_weights[sum / kLanes][sum % kLanes]);
        }
    }
    sums[0] = found[0];
    sums[1] = found[1];
}

// The rows do not overlap; with `__restrict__` the compiler vectorises the loop.
void step_all(float* __restrict__ weight, const float* __restrict__ part, float* __restrict__ square,
              std::size_t size, const RmspropNumbers& numbers) {
    const auto [pace, keep, least, l2, scale] = numbers;
    const float rest = 1 - keep;
    for (std::size_t i = 0; i < size; ++i) {
        const float whole = (part[i] + l2 * weight[i]) * scale;
        const float mean = keep * square[i] + rest * whole * whole;
        square[i] = mean;
        weight[i] -= pace * whole / (std::sqrt(mean) + least);
    }
}

}  // namespace
}  // namespace widthwise
