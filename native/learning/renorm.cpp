#include "learning/renorm.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <stdexcept>

namespace widthwise {

namespace {

// Some numbers for each unit of a block.
template <typename Number>
using Each = std::array<Number, kOutputs>;

Block block_of(std::span<const float> x, std::size_t units, std::initializer_list<std::size_t> of_units,
               std::initializer_list<std::size_t> of_all) {
    if (units == 0 || units % kOutputs != 0 || x.empty() || x.size() % units != 0)
        throw std::invalid_argument("a layer has a multiple of 16 units, and a batch one row at least");
    for (const std::size_t size : of_units)
        if (size != units) throw std::invalid_argument("there is one number for every unit");
    for (const std::size_t size : of_all)
        if (size != x.size()) throw std::invalid_argument("all batches are equally large");
    return {x.size() / units, units};
}

struct Moments {
    Each<double> mean;
    Each<double> variance;
};

// Counted from the averages, so that little is lost by rounding; and where they are far from the batch, a
// second time from what was found at first.
Moments moments_of(const Block& block, const float* x, const float* averages, const Kernels& kernels) {
    constexpr double near = 1e-3;  // variance divided by the squared distance: three digits are left
    const auto rows = static_cast<double>(block.rows);
    Each<float> middle;
    std::copy_n(averages, kOutputs, middle.begin());
    Moments found;
    for (bool again : {true, false}) {
        Each<double> sum;
        Each<double> square;
        kernels.moments(block, x, middle.data(), sum.data(), square.data());
        bool far = false;
        for (std::size_t k = 0; k < kOutputs; ++k) {
            const double away = sum[k] / rows;
            found.mean[k] = static_cast<double>(middle[k]) + away;
            found.variance[k] = std::max(square[k] / rows - away * away, 0.0);
            far = far || found.variance[k] < near * away * away;
        }
        if (!again || !far) break;
        for (std::size_t k = 0; k < kOutputs; ++k) middle[k] = static_cast<float>(found.mean[k]);
    }
    return found;
}

// Exactly the new one where momentum is 1.
float follow(double average, double now, float momentum) {
    const double part = momentum;
    return static_cast<float>((1 - part) * average + part * now);
}

}  // namespace

void Renorm::forward(std::span<const float> x, const Units& units, const Kernels& kernels,
                     std::span<float> out, const Correction& correction) const {
    const std::size_t count = units.weight.size();
    const Block block =
        block_of(x, count,
                 {units.bias.size(), units.mean.size(), units.variance.size(), correction.mean.size(),
                  correction.inverse.size(), correction.ratio.size(), correction.shift.size()},
                 {out.size()});
    for (std::size_t first = 0; first < count; first += kOutputs) {
        const Moments found = moments_of(block, x.data() + first, units.mean.data() + first, kernels);
        Each<float> gain;
        Each<float> offset;
        for (std::size_t k = 0; k < kOutputs; ++k) {
            const std::size_t unit = first + k;
            const double average = units.mean[unit];
            const double variance = found.variance[k];
            const double inverse = 1 / std::sqrt(variance + static_cast<double>(epsilon));
            const double spread = std::sqrt(static_cast<double>(units.variance[unit] + epsilon));
            const double most = ratio;
            const double far = shift;
            const double stretch = std::clamp(1 / (inverse * spread), 1 / most, most);
            const double move = std::clamp((found.mean[k] - average) / spread, -far, far);
            const double weight = units.weight[unit];
            correction.mean[unit] = static_cast<float>(found.mean[k]);
            correction.inverse[unit] = static_cast<float>(inverse);
            correction.ratio[unit] = static_cast<float>(stretch);
            correction.shift[unit] = static_cast<float>(move);
            gain[k] = static_cast<float>(weight * stretch * inverse);
            offset[k] = static_cast<float>(static_cast<double>(units.bias[unit]) + weight * move);
            units.mean[unit] = follow(average, found.mean[k], momentum);
            units.variance[unit] = follow(units.variance[unit], variance, momentum);
        }
        kernels.normalise(block, x.data() + first, correction.mean.data() + first, gain.data(), offset.data(),
                          out.data() + first);
    }
}

void renorm_backward(const Passed& passed, std::span<const float> weight, const Correction& correction,
                     const Kernels& kernels, const Gradients& gradients) {
    const std::size_t count = weight.size();
    const Block block = block_of(passed.x, count,
                                 {correction.mean.size(), correction.inverse.size(), correction.ratio.size(),
                                  correction.shift.size(), gradients.weight.size(), gradients.bias.size()},
                                 {passed.out.size(), passed.gradient.size(), gradients.x.size()});
    const auto rows = static_cast<double>(block.rows);
    for (std::size_t first = 0; first < count; first += kOutputs) {
        const float* const x = passed.x.data() + first;
        const float* const out = passed.out.data() + first;
        const float* const gradient = passed.gradient.data() + first;
        const float* const mean = correction.mean.data() + first;
        Each<double> sum;
        Each<double> product;
        kernels.slopes(block, x, mean, out, gradient, sum.data(), product.data());
        Each<float> gain;
        Each<float> constant;
        Each<float> multiple;
        for (std::size_t k = 0; k < kOutputs; ++k) {
            const std::size_t unit = first + k;
            const double inverse = correction.inverse[unit];
            const double ratio = correction.ratio[unit];
            gain[k] = static_cast<float>(static_cast<double>(weight[unit]) * ratio * inverse);
            constant[k] = static_cast<float>(sum[k] / rows);
            multiple[k] = static_cast<float>(product[k] * inverse * inverse / rows);
            gradients.weight[unit] = static_cast<float>(product[k] * inverse * ratio +
                                                        sum[k] * static_cast<double>(correction.shift[unit]));
            gradients.bias[unit] = static_cast<float>(sum[k]);
        }
        kernels.trace_back(block, x, mean, gain.data(), constant.data(), multiple.data(), out, gradient,
                           gradients.x.data() + first);
    }
}

}  // namespace widthwise
