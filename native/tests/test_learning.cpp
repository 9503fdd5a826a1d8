// The forward pass, batch renormalisation, RMSprop, for each kind of vector registers.
#include <doctest/doctest.h>

#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "learning/forward.hpp"
#include "learning/renorm.hpp"
#include "learning/rmsprop.hpp"
#include "tests/support.hpp"

using namespace widthwise;
using namespace widthwise::tests;

namespace {

using Floats = std::vector<float>;

Floats random_floats(Random& random, std::size_t size) {
    Floats numbers(size);
    for (float& number : numbers) number = random.number();
    return numbers;
}

std::vector<std::pair<std::string, Kernels>> all_kernels() {
    std::vector<std::pair<std::string, Kernels>> kernels = {{"plain", plain_kernels()},
                                                            {"best", best_kernels()}};
#ifdef __x86_64__
    if (has_avx2()) kernels.emplace_back("avx2", avx2_kernels());
    if (has_avx512()) kernels.emplace_back("avx512", avx512_kernels());
#endif
    return kernels;
}

// A layer of the literal network.
struct Layer {
    std::size_t outputs;
    Floats weights, scale, bias;  // weights by output, then input

    Layer(Random& random, std::size_t inputs, std::size_t outs)
        : outputs(outs),
          weights(random_floats(random, inputs * outs)),
          scale(random_floats(random, outs)),
          bias(random_floats(random, outs)) {}

    double weight(std::size_t output, std::size_t input) const {
        return static_cast<double>(weights[output * (weights.size() / outputs) + input]) *
               static_cast<double>(scale[output]);
    }
};

}  // namespace

TEST_CASE("the forward pass is a convolution, a dense layer and two heads") {
    constexpr std::size_t rows = 6, columns = 5, channels = 2, side = 3, stride = 2, filters = 16,
                          hidden = 20, actions = 3, states = 3;
    constexpr std::size_t out_rows = 2, out_columns = 2, places = out_rows * out_columns;
    const std::vector<double> points = {-1.0, 0.5, 2.0, 4.0};
    Random random(7);
    const Layer convolution(random, side * side * channels, filters), dense(random, places * filters, hidden),
        heads(random, hidden, actions + points.size());
    std::vector<std::uint8_t> images(states * rows * columns * channels);
    for (std::uint8_t& byte : images) byte = static_cast<std::uint8_t>(random.below(3));

    for (const auto& [name, kernels] : all_kernels()) {
        CAPTURE(name);
        Forward forward({rows, columns, channels}, states, kernels);
        forward.convolution(side, stride, filters);
        forward.dense(hidden);
        forward.heads(actions, points);
        std::size_t number = 0;
        for (const Layer* layer : {&convolution, &dense, &heads})
            forward.set(number++, layer->weights, layer->scale, layer->bias);
        std::vector<std::uint8_t> active(states * hidden);
        Floats policy(states * actions);
        std::vector<double> value(states);
        forward(images, states, {active, policy, value});

        for (std::size_t state = 0; state < states; ++state) {
            const std::uint8_t* image = images.data() + state * rows * columns * channels;
            // Channels first, as the dense layer counts its inputs.
            std::vector<double> seen(filters * places);
            for (std::size_t filter = 0; filter < filters; ++filter)
                for (std::size_t place = 0; place < places; ++place) {
                    double sum = static_cast<double>(convolution.bias[filter]);
                    for (std::size_t y = 0; y < side; ++y)
                        for (std::size_t x = 0; x < side; ++x)
                            for (std::size_t channel = 0; channel < channels; ++channel)
                                sum += convolution.weight(filter, (y * side + x) * channels + channel) *
                                       image[((place / out_columns * stride + y) * columns +
                                              place % out_columns * stride + x) *
                                                 channels +
                                             channel];
                    seen[filter * places + place] = std::max(sum, 0.0);
                }
            std::vector<double> units(hidden), logits(actions + points.size());
            for (std::size_t unit = 0; unit < hidden; ++unit) {
                double sum = static_cast<double>(dense.bias[unit]);
                for (std::size_t input = 0; input < seen.size(); ++input)
                    sum += dense.weight(unit, input) * seen[input];
                units[unit] = std::max(sum, 0.0);
                if (std::abs(sum) > 1e-4) CHECK((active[state * hidden + unit] != 0) == (sum > 0));
            }
            for (std::size_t output = 0; output < logits.size(); ++output) {
                logits[output] = static_cast<double>(heads.bias[output]);
                for (std::size_t unit = 0; unit < hidden; ++unit)
                    logits[output] += heads.weight(output, unit) * units[unit];
            }
            const auto softmax = [&](std::size_t begin, std::size_t end) {
                std::vector<double> shares;
                for (std::size_t index = begin; index < end; ++index)
                    shares.push_back(std::exp(logits[index] - logits[begin]));
                const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
                for (double& share : shares) share /= sum;
                return shares;
            };
            const std::vector<double> shares = softmax(0, actions), masses = softmax(actions, logits.size());
            for (std::size_t action = 0; action < actions; ++action)
                CHECK(static_cast<double>(policy[state * actions + action]) ==
                      doctest::Approx(shares[action]).epsilon(1e-3));
            CHECK(value[state] ==
                  doctest::Approx(std::inner_product(points.begin(), points.end(), masses.begin(), 0.0))
                      .epsilon(1e-3));
            // A state is evaluated as if it were alone.
            std::vector<std::uint8_t> own_active(hidden);
            Floats own_policy(actions);
            std::vector<double> own_value(1);
            forward(std::span<const std::uint8_t>(image, rows * columns * channels), 1,
                    {own_active, own_policy, own_value});
            CHECK(own_value[0] == value[state]);
        }
    }
}

TEST_CASE("networks that make no sense are refused") {
    CHECK_THROWS_AS(Forward({0, 5, 1}, 1, plain_kernels()), std::invalid_argument);
    Forward forward({4, 4, 1}, 1, plain_kernels());
    CHECK_THROWS_AS(forward.convolution(5, 1, 16), std::invalid_argument);
    CHECK_THROWS_AS(forward.convolution(3, 1, 17), std::invalid_argument);
    forward.dense(8);
    CHECK_THROWS_AS(forward.convolution(1, 1, 16), std::invalid_argument);
    const Floats image(16);
    std::vector<std::uint8_t> active(8);
    Floats policy(2);
    std::vector<double> value(1);
    CHECK_THROWS_AS(forward(std::span<const float>(image), 1, {active, policy, value}),
                    std::invalid_argument);
    forward.heads(2, {0.0, 1.0});
    CHECK_THROWS_AS(forward(std::span<const float>(image), 2, {active, policy, value}),
                    std::invalid_argument);
}

TEST_CASE("a step of RMSprop follows its formula, and the squares are summed up") {
    Random random(9);
    for (const std::size_t size : {1U, 15U, 16U, 1500U}) {
        CAPTURE(size);
        const Floats gradient = random_floats(random, size), before = random_floats(random, size);
        Floats weights = before, running(size, 0.25F);
        const Slope slope{gradient, 0.1F};
        const Squares sums = squares(weights, slope);
        double of_gradient = 0, of_weights = 0;
        Rmsprop{0.01F, 0.9F, 1e-3F}.step(weights, slope, 0.5F, running);
        for (std::size_t index = 0; index < size; ++index) {
            const double weight = static_cast<double>(before[index]),
                         whole = static_cast<double>(gradient[index]) + 0.1 * weight;
            of_gradient += whole * whole;
            of_weights += weight * weight;
            const double square = 0.9 * 0.25 + 0.1 * whole * whole * 0.25;
            CHECK(static_cast<double>(running[index]) == doctest::Approx(square).epsilon(1e-5));
            CHECK(static_cast<double>(weights[index]) ==
                  doctest::Approx(weight - 0.01 * 0.5 * whole / (std::sqrt(square) + 1e-3)).epsilon(1e-5));
        }
        CHECK(sums.gradient == doctest::Approx(of_gradient).epsilon(1e-5));
        CHECK(sums.weights == doctest::Approx(of_weights).epsilon(1e-5));
    }
#ifdef __x86_64__
    // The same bits with all registers.
    std::vector<RmspropKernels> others;
    if (has_avx2()) others.push_back(avx2_rmsprop());
    if (has_avx512()) others.push_back(avx512_rmsprop());
    for (const RmspropKernels& kernels : others) {
        const Floats gradient = random_floats(random, 2500), before = random_floats(random, 2500);
        const Slope slope{gradient, 0.1F};
        Floats expected = before, weights = before, expected_running(2500, 0.25F), running(2500, 0.25F);
        const Squares plain = squares(before, slope, plain_rmsprop()), sums = squares(before, slope, kernels);
        CHECK(plain.gradient == sums.gradient);
        CHECK(plain.weights == sums.weights);
        Rmsprop{0.01F, 0.9F, 1e-3F}.step(expected, slope, 0.5F, expected_running, plain_rmsprop());
        Rmsprop{0.01F, 0.9F, 1e-3F}.step(weights, slope, 0.5F, running, kernels);
        CHECK(weights == expected);
        CHECK(running == expected_running);
    }
#endif
    Floats two(2), three(3);
    CHECK_THROWS_AS(squares(two, {three, 0.0F}), std::invalid_argument);
    CHECK_THROWS_AS((Rmsprop{0.1F, 0.9F, 0.1F}.step(two, {two, 0.0F}, 1.0F, three)), std::invalid_argument);
}

namespace {

constexpr std::size_t kUnits = 32, kRows = 11;

// A layer's parameters and averages, and what a batch leaves behind.
struct Normalised {
    Floats weight, bias, mean, variance;
    Floats batch_mean = Floats(kUnits), inverse = Floats(kUnits), ratio = Floats(kUnits),
           shift = Floats(kUnits), out = Floats(kRows * kUnits);

    explicit Normalised(Random& random)
        : weight(random_floats(random, kUnits)),
          bias(random_floats(random, kUnits)),
          mean(kUnits, 0.1F),
          variance(kUnits, 0.5F) {}

    Correction correction() { return {batch_mean, inverse, ratio, shift}; }
    void forward(const Floats& x, const Kernels& kernels, const Renorm& renorm) {
        renorm.forward(x, {weight, bias, mean, variance}, kernels, out, correction());
    }
};

constexpr Renorm kRenorm{0.1F, 1e-3F, 1.2F, 0.2F};

}  // namespace

TEST_CASE("batch renormalisation follows its formula, and the averages follow the batch") {
    for (const auto& [name, kernels] : all_kernels()) {
        CAPTURE(name);
        Random random(4);
        Normalised layer(random);
        const Floats x = random_floats(random, kRows * kUnits);
        layer.forward(x, kernels, kRenorm);
        for (std::size_t unit = 0; unit < kUnits; ++unit) {
            double sum = 0, square = 0;
            for (std::size_t row = 0; row < kRows; ++row) sum += static_cast<double>(x[row * kUnits + unit]);
            const double mean = sum / kRows;
            for (std::size_t row = 0; row < kRows; ++row)
                square += std::pow(static_cast<double>(x[row * kUnits + unit]) - mean, 2);
            const double variance = square / kRows, deviation = std::sqrt(variance + 1e-3),
                         average = std::sqrt(0.5 + 1e-3);
            const double ratio = std::clamp(deviation / average, 1 / 1.2, 1.2),
                         shift = std::clamp((mean - 0.1) / average, -0.2, 0.2);
            for (std::size_t row = 0; row < kRows; ++row) {
                const double normal = (static_cast<double>(x[row * kUnits + unit]) - mean) / deviation;
                const double expected = (normal * ratio + shift) * static_cast<double>(layer.weight[unit]) +
                                        static_cast<double>(layer.bias[unit]);
                CHECK(static_cast<double>(layer.out[row * kUnits + unit]) ==
                      doctest::Approx(std::max(expected, 0.0)).epsilon(1e-3));
            }
            CHECK(static_cast<double>(layer.mean[unit]) ==
                  doctest::Approx(0.9 * 0.1 + 0.1 * mean).epsilon(1e-4));
            CHECK(static_cast<double>(layer.variance[unit]) ==
                  doctest::Approx(0.9 * 0.5 + 0.1 * variance).epsilon(1e-4));
        }
    }
}

TEST_CASE("gradients of batch renormalisation are those of small differences") {
    for (const auto& [name, kernels] : all_kernels()) {
        CAPTURE(name);
        Random random(6);
        Normalised layer(random);
        const Floats x = random_floats(random, kRows * kUnits), up = random_floats(random, kRows * kUnits);
        // Wide limits and averages equal to the batch's: ratio and shift are constants near 1 and 0.
        const Renorm plain{1.0F, 1e-3F, 1e6F, 1e6F};
        Normalised first = layer;
        first.forward(x, kernels, plain);
        layer.mean = first.mean;
        layer.variance = first.variance;
        layer.forward(x, kernels, Renorm{0.0F, 1e-3F, 1.0F, 0.0F});
        Floats to_x(x.size()), to_weight(kUnits), to_bias(kUnits);
        renorm_backward({x, layer.out, up}, layer.weight, layer.correction(), kernels,
                        {to_x, to_weight, to_bias});
        const auto loss = [&](const Floats& inputs, const Normalised& with) {
            Normalised copy = with;
            copy.forward(inputs, kernels, Renorm{0.0F, 1e-3F, 1.0F, 0.0F});
            double sum = 0;
            for (std::size_t index = 0; index < up.size(); ++index)
                sum += static_cast<double>(copy.out[index]) * static_cast<double>(up[index]);
            return sum;
        };
        constexpr float step = 1e-2F;
        const auto close = [](double slope, float gradient) {
            return std::abs(slope - static_cast<double>(gradient)) < 0.05;
        };
        int far = 0;  // where a unit crosses 0 between the two points, differences prove nothing
        for (std::size_t index = 0; index < x.size(); index += 5) {
            Floats more = x, less = x;
            more[index] += step;
            less[index] -= step;
            const double slope = (loss(more, layer) - loss(less, layer)) / (2 * static_cast<double>(step));
            far += close(slope, to_x[index]) ? 0 : 1;
        }
        CHECK(far <= 4);
        for (std::size_t unit = 0; unit < kUnits; ++unit) {
            Normalised more = layer, less = layer;
            more.bias[unit] += step;
            less.bias[unit] -= step;
            const double slope = (loss(x, more) - loss(x, less)) / (2 * static_cast<double>(step));
            double expected = 0;
            for (std::size_t row = 0; row < kRows; ++row)
                if (layer.out[row * kUnits + unit] > 0)
                    expected += static_cast<double>(up[row * kUnits + unit]);
            CHECK(static_cast<double>(to_bias[unit]) == doctest::Approx(expected).epsilon(1e-3));
            far += close(slope, to_bias[unit]) ? 0 : 1;
        }
        CHECK(far <= 10);
    }
}
