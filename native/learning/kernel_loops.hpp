// The loops themselves. Each file that includes this is compiled for other vector registers, so nothing in
// here may be shared between them: all is in an unnamed namespace, and no function of the library is called.
//
// Every output is summed up in the order of its inputs, whatever the registers and whatever else is computed
// in the same call: how a state is judged does not depend on which others it is judged with.

#include <cstddef>

#include "learning/kernels.hpp"

namespace widthwise {
namespace {

typedef float Lanes __attribute__((vector_size(WIDTHWISE_VECTOR), aligned(4), may_alias));

constexpr std::size_t kLanes = WIDTHWISE_VECTOR / sizeof(float);
constexpr std::size_t kVectors = kOutputs / kLanes;
// Eight sums at a time keep two multipliers busy that take four cycles each.
constexpr std::size_t kPlaces = 8 / kVectors;
// Inputs of a dense layer for which sums are loaded and stored once.
constexpr std::size_t kTogether = 4;

template <std::size_t Places>
void convolve_places(const float* image, const Patches& patches, std::size_t place, const float* weights,
                     const float* bias, std::size_t outputs, float* out) {
    const float* from[Places];
    Lanes sums[Places][kVectors];
    for (std::size_t p = 0; p < Places; ++p) {
        from[p] = image + patches.starts[place + p];
        for (std::size_t v = 0; v < kVectors; ++v)
            sums[p][v] = *reinterpret_cast<const Lanes*>(bias + v * kLanes);
    }
    for (std::size_t row = 0; row < patches.rows; ++row) {
        const std::size_t begin = row * patches.stride;
        for (std::size_t i = 0; i < patches.length; ++i) {
            for (std::size_t v = 0; v < kVectors; ++v) {
                const Lanes weight = *reinterpret_cast<const Lanes*>(weights + v * kLanes);
                for (std::size_t p = 0; p < Places; ++p) sums[p][v] += from[p][begin + i] * weight;
            }
            weights += outputs;
        }
    }
    for (std::size_t p = 0; p < Places; ++p) {
        for (std::size_t v = 0; v < kVectors; ++v) {
            const Lanes none = {};
            const Lanes sum = sums[p][v];
            *reinterpret_cast<Lanes*>(out + (place + p) * outputs + v * kLanes) = none > sum ? none : sum;
        }
    }
}

void convolve(const float* image, const Patches& patches, const float* weights, const float* bias,
              std::size_t outputs, float* out) {
    for (std::size_t first = 0; first < outputs; first += kOutputs) {
        std::size_t place = 0;
        for (; place + kPlaces <= patches.places; place += kPlaces)
            convolve_places<kPlaces>(image, patches, place, weights + first, bias + first, outputs,
                                     out + first);
        for (; place < patches.places; ++place)
            convolve_places<1>(image, patches, place, weights + first, bias + first, outputs, out + first);
    }
}

void add(const Active* active, std::size_t count, const float* weights, std::size_t outputs, float* out) {
    std::size_t i = 0;
    for (; i + kTogether <= count; i += kTogether) {
        const float* rows[kTogether];
        for (std::size_t k = 0; k < kTogether; ++k) rows[k] = weights + active[i + k].input * outputs;
        for (std::size_t o = 0; o < outputs; o += kLanes) {
            Lanes sum = *reinterpret_cast<Lanes*>(out + o);
            for (std::size_t k = 0; k < kTogether; ++k)
                sum += active[i + k].value * *reinterpret_cast<const Lanes*>(rows[k] + o);
            *reinterpret_cast<Lanes*>(out + o) = sum;
        }
    }
    for (; i < count; ++i) {
        const float* row = weights + active[i].input * outputs;
        for (std::size_t o = 0; o < outputs; o += kLanes)
            *reinterpret_cast<Lanes*>(out + o) += active[i].value * *reinterpret_cast<const Lanes*>(row + o);
    }
}

// So many rows are summed up in 32 bits before they are added to sums of 64.
constexpr std::size_t kShortSum = 64;

Lanes load(const float* from) {
    return *reinterpret_cast<const Lanes*>(from);
}

// The gradient where the ReLU let something through.
Lanes passed(const float* out, const float* gradient) {
    const Lanes none = {};
    return load(out) > none ? load(gradient) : none;
}

// Calls gather(place in the batch, first of its units, sums) for every vector of a block, and adds up both
// sums.
template <typename Gather>
void sum_up(const Block& block, double* first, double* second, const Gather& gather) {
    for (std::size_t unit = 0; unit < kOutputs; ++unit) first[unit] = second[unit] = 0;
    for (std::size_t begin = 0; begin < block.rows; begin += kShortSum) {
        const std::size_t end = begin + kShortSum < block.rows ? begin + kShortSum : block.rows;
        for (std::size_t v = 0; v < kOutputs; v += kLanes) {
            Lanes sums[2] = {};
            for (std::size_t row = begin; row < end; ++row) gather(row * block.stride + v, v, sums);
            for (std::size_t lane = 0; lane < kLanes; ++lane) {
                first[v + lane] += static_cast<double>(sums[0][lane]);
                second[v + lane] += static_cast<double>(sums[1][lane]);
            }
        }
    }
}

void moments(const Block& block, const float* x, const float* middle, double* sum, double* square) {
    sum_up(block, sum, square, [&](std::size_t at, std::size_t v, Lanes* sums) {
        const Lanes away = load(x + at) - load(middle + v);
        sums[0] += away;
        sums[1] += away * away;
    });
}

void normalise(const Block& block, const float* x, const float* mean, const float* gain, const float* bias,
               float* out) {
    for (std::size_t v = 0; v < kOutputs; v += kLanes) {
        const Lanes middle = load(mean + v), factor = load(gain + v), start = load(bias + v), none = {};
        for (std::size_t row = 0; row < block.rows; ++row) {
            const std::size_t at = row * block.stride + v;
            const Lanes value = (load(x + at) - middle) * factor + start;
            *reinterpret_cast<Lanes*>(out + at) = none > value ? none : value;  // NaN stays NaN
        }
    }
}

void slopes(const Block& block, const float* x, const float* mean, const float* out, const float* gradient,
            double* sum, double* product) {
    sum_up(block, sum, product, [&](std::size_t at, std::size_t v, Lanes* sums) {
        const Lanes slope = passed(out + at, gradient + at);
        sums[0] += slope;
        sums[1] += slope * (load(x + at) - load(mean + v));
    });
}

void trace_back(const Block& block, const float* x, const float* mean, const float* gain,
                const float* constant, const float* multiple, const float* out, const float* gradient,
                float* into) {
    for (std::size_t v = 0; v < kOutputs; v += kLanes) {
        const Lanes middle = load(mean + v), factor = load(gain + v);
        const Lanes less = load(constant + v), times = load(multiple + v);
        for (std::size_t row = 0; row < block.rows; ++row) {
            const std::size_t at = row * block.stride + v;
            const Lanes slope = passed(out + at, gradient + at);
            *reinterpret_cast<Lanes*>(into + at) = (slope - less - (load(x + at) - middle) * times) * factor;
        }
    }
}

}  // namespace
}  // namespace widthwise
