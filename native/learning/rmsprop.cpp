#include "learning/rmsprop.hpp"

#include <stdexcept>

#include "learning/kernels.hpp"

namespace widthwise {

RmspropKernels best_rmsprop() {
#ifdef __x86_64__
    static const RmspropKernels best = has_avx512() ? avx512_rmsprop()
                                       : has_avx2() ? avx2_rmsprop()
                                                    : plain_rmsprop();
    return best;
#else
    return plain_rmsprop();
#endif
}

Squares squares(std::span<const float> weights, const Slope& slope, const RmspropKernels& kernels) {
    if (slope.gradient.size() != weights.size())
        throw std::invalid_argument("weights and gradient are equally long");
    double sums[2];
    kernels.squares(weights.data(), slope.gradient.data(), weights.size(), slope.l2, sums);
    return {sums[0], sums[1]};
}

void Rmsprop::step(std::span<float> weights, const Slope& slope, float scale, std::span<float> running,
                   const RmspropKernels& kernels) const {
    if (slope.gradient.size() != weights.size() || running.size() != weights.size())
        throw std::invalid_argument("weights, gradient and running squares are equally long");
    kernels.step(weights.data(), slope.gradient.data(), running.data(), weights.size(),
                 {rate, decay, epsilon, slope.l2, scale});
}

}  // namespace widthwise
