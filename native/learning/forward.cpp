#include "learning/forward.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace widthwise {

namespace {

// So many inputs' weights stay in a near cache while all states of a batch use them.
constexpr std::uint32_t kStretch = 32;
// Weights are turned round in squares, so that both sides stay in few lines of a cache.
constexpr std::size_t kSquare = 16;

std::size_t size(const Forward::Image& image) {
    return image.rows * image.columns * image.channels;
}

std::size_t padded(std::size_t outputs) {
    return (outputs + kOutputs - 1) / kOutputs * kOutputs;
}

}  // namespace

Kernels best_kernels() {
#ifdef __x86_64__
    if (has_avx512()) return avx512_kernels();
    if (has_avx2()) return avx2_kernels();
#endif
    return plain_kernels();
}

Forward::Forward(Image inputs, std::size_t room, Kernels kernels)
    : inputs_(inputs), room_(room), kernels_(kernels), now_(size(inputs) * room), begins_(room), ends_(room) {
    if (now_.empty())
        throw std::invalid_argument("there must be room for at least one input, which must not be empty");
}

std::size_t Forward::Layer::inputs() const {
    return side == 0 ? size(in) : side * side * in.channels;
}

void Forward::append(Layer layer) {
    layer.padded = padded(layer.outputs);
    layer.weights.resize(layer.inputs() * layer.padded);
    layer.bias.resize(layer.padded);
    const std::size_t numbers = room_ * layer.out.rows * layer.out.columns * layer.padded;
    now_.resize(std::max(now_.size(), numbers));
    next_.resize(now_.size());
    layers_.push_back(std::move(layer));
}

void Forward::convolution(std::size_t side, std::size_t stride, std::size_t outputs) {
    const Image in = layers_.empty() ? inputs_ : layers_.back().out;
    if (side == 0 || stride == 0 || outputs == 0 || in.rows < side || in.columns < side ||
        (!layers_.empty() && layers_.back().side == 0))
        throw std::invalid_argument(
            "a convolution must not be larger than its image or follow a dense layer");
    if (outputs != padded(outputs)) throw std::invalid_argument("a convolution has a multiple of 16 outputs");
    const Image out{(in.rows - side) / stride + 1, (in.columns - side) / stride + 1, outputs};
    Layer layer{in, outputs, side, {}, out, 0, {}, {}};
    for (std::size_t y = 0; y < out.rows; ++y)
        for (std::size_t x = 0; x < out.columns; ++x)
            layer.starts.push_back((y * stride * in.columns + x * stride) * in.channels);
    append(std::move(layer));
}

void Forward::dense(std::size_t outputs) {
    if (outputs == 0 || !points_.empty())
        throw std::invalid_argument("a dense layer has outputs, and comes before the heads");
    const Image in = layers_.empty() ? inputs_ : layers_.back().out;
    active_.resize(std::max(active_.size(), room_ * size(in)));
    append({in, outputs, 0, {}, {1, 1, outputs}, 0, {}, {}});
}

void Forward::heads(std::size_t actions, std::vector<double> points) {
    if (actions == 0 || points.empty() || layers_.empty() || layers_.back().side > 0)
        throw std::invalid_argument("there are actions, points, and a dense layer before the heads");
    dense(actions + points.size());
    points_ = std::move(points);
    shares_.resize(std::max(actions, points_.size()));
}

void Forward::set(std::size_t number, std::span<const float> weights, std::span<const float> scale,
                  std::span<const float> bias) {
    if (number >= layers_.size()) throw std::invalid_argument("there is no such layer");
    Layer& layer = layers_[number];
    const std::size_t inputs = layer.inputs();
    if (weights.size() != layer.outputs * inputs || scale.size() != layer.outputs ||
        bias.size() != layer.outputs)
        throw std::invalid_argument("the weights do not have the size of the layer");
    std::copy(bias.begin(), bias.end(), layer.bias.begin());
    for (std::size_t first = 0; first < layer.outputs; first += kSquare) {
        const std::size_t last = std::min(first + kSquare, layer.outputs);
        for (std::size_t from = 0; from < inputs; from += kSquare) {
            const std::size_t to = std::min(from + kSquare, inputs);
            for (std::size_t input = from; input < to; ++input)
                for (std::size_t output = first; output < last; ++output)
                    layer.weights[input * layer.padded + output] =
                        weights[output * inputs + input] * scale[output];
        }
    }
}

void Forward::convolve(const Layer& layer, std::size_t count) {
    const Patches patches{layer.starts.data(), layer.starts.size(), layer.side,
                          layer.side * layer.in.channels, layer.in.columns * layer.in.channels};
    for (std::size_t state = 0; state < count; ++state)
        kernels_.convolve(now_.data() + state * size(layer.in), patches, layer.weights.data(),
                          layer.bias.data(), layer.padded, next_.data() + state * size(layer.out));
}

void Forward::multiply(const Layer& layer, std::size_t count) {
    const std::size_t pixels = layer.in.rows * layer.in.columns;
    const std::size_t channels = layer.in.channels;
    const std::size_t stride = layers_.data() == &layer ? channels : padded(channels);
    std::size_t found = 0;
    for (std::size_t state = 0; state < count; ++state) {
        const float* in = now_.data() + state * pixels * stride;
        for (std::size_t channel = 0; channel < channels; ++channel)
            for (std::size_t pixel = 0; pixel < pixels; ++pixel) {
                // Always written, and kept if it is not 0: a branch that is hard to predict would cost more.
                const float value = in[pixel * stride + channel];
                active_[found] = {static_cast<std::uint32_t>(channel * pixels + pixel), value};
                found += value != 0;
            }
        begins_[state] = state == 0 ? 0 : ends_[state - 1];
        ends_[state] = found;
        std::copy(layer.bias.begin(), layer.bias.end(),
                  next_.begin() + static_cast<std::ptrdiff_t>(state * layer.padded));
    }
    const auto inputs = static_cast<std::uint32_t>(size(layer.in));
    for (std::uint32_t from = 0; from < inputs; from += kStretch) {
        for (std::size_t state = 0; state < count; ++state) {
            const std::size_t begin = begins_[state];
            std::size_t& end = begins_[state];
            while (end < ends_[state] && active_[end].input < from + kStretch) ++end;
            kernels_.add(active_.data() + begin, end - begin, layer.weights.data(), layer.padded,
                         next_.data() + state * layer.padded);
        }
    }
}

void Forward::rectify(const Layer& layer, std::size_t count) {
    for (std::size_t i = 0; i < count * layer.padded; ++i) next_[i] = std::max(next_[i], 0.0F);  // NaN stays
}

void Forward::judge(const float* logits, std::span<float> policy, double& value) {
    // In 32 bits rounding would make differences between values that are none, and ties would not be seen.
    const auto softmax = [this](const float* from, std::size_t count) {
        const float most = *std::max_element(from, from + count);
        double sum = 0;
        for (std::size_t i = 0; i < count; ++i)
            sum += shares_[i] = std::exp(static_cast<double>(from[i]) - static_cast<double>(most));
        for (std::size_t i = 0; i < count; ++i) shares_[i] /= sum;
    };
    softmax(logits, policy.size());
    for (std::size_t i = 0; i < policy.size(); ++i) policy[i] = static_cast<float>(shares_[i]);
    softmax(logits + policy.size(), points_.size());
    value = std::inner_product(points_.begin(), points_.end(), shares_.begin(), 0.0);
}

template <typename Number>
void Forward::run(std::span<const Number> inputs, std::size_t count, const Found& found) {
    if (points_.empty()) throw std::invalid_argument("the heads are missing");
    const Layer& heads = layers_.back();
    const Layer& hidden = layers_[layers_.size() - 2];
    const std::size_t actions = heads.outputs - points_.size();
    if (count > room_ || inputs.size() < count * size(inputs_) ||
        found.active.size() < count * hidden.outputs || found.policy.size() < count * actions ||
        found.value.size() < count)
        throw std::invalid_argument("there are more inputs than there is room for");
    for (std::size_t i = 0; i < count * size(inputs_); ++i) now_[i] = static_cast<float>(inputs[i]);
    for (const Layer& layer : layers_) {
        if (layer.side > 0) {
            convolve(layer, count);
        } else {
            multiply(layer, count);
            if (&layer != &heads) rectify(layer, count);
        }
        std::swap(now_, next_);
        if (&layer == &hidden)
            for (std::size_t state = 0; state < count; ++state)
                for (std::size_t i = 0; i < hidden.outputs; ++i)
                    found.active[state * hidden.outputs + i] = now_[state * hidden.padded + i] > 0;
    }
    for (std::size_t state = 0; state < count; ++state)
        judge(now_.data() + state * heads.padded, found.policy.subspan(state * actions, actions),
              found.value[state]);
}

void Forward::operator()(std::span<const std::uint8_t> inputs, std::size_t count, const Found& found) {
    run(inputs, count, found);
}

void Forward::operator()(std::span<const float> inputs, std::size_t count, const Found& found) {
    run(inputs, count, found);
}

}  // namespace widthwise
