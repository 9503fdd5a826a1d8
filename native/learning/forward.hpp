// The network's forward pass for the few states that a search asks about at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "learning/kernels.hpp"

namespace widthwise {

// The kernels that this machine is best at.
Kernels best_kernels();

class Forward {
public:
    struct Image {
        std::size_t rows;
        std::size_t columns;
        std::size_t channels;
    };

    // `inputs` is an image with its channels last, or a row of numbers as the channels of a single pixel. At
    // most `room` of them come at once.
    Forward(Image inputs, std::size_t room, Kernels kernels);

    // Layers are added in order, convolutions before dense ones. A ReLU follows each.
    void convolution(std::size_t side, std::size_t stride, std::size_t outputs);
    void dense(std::size_t outputs);
    // The last layer: a policy over the actions and, after it, a distribution over the points of a value.
    void heads(std::size_t actions, std::vector<double> points);

    // Gives a layer its weights, by output, then input, each output's multiplied by its scale. Convolutions
    // count inputs with channels last, a dense layer after them with channels first, as torch does.
    void set(std::size_t layer, std::span<const float> weights, std::span<const float> scale,
             std::span<const float> bias);

    struct Found {
        std::span<std::uint8_t> active;  // units of the last hidden layer that are above 0
        std::span<float> policy;
        std::span<double> value;  // the mean of the value's distribution
    };

    // Evaluates `count` inputs, each as if it were alone.
    void operator()(std::span<const std::uint8_t> inputs, std::size_t count, const Found& found);
    void operator()(std::span<const float> inputs, std::size_t count, const Found& found);

private:
    struct Layer {
        Image in;
        std::size_t outputs;
        std::size_t side;  // 0: dense
        std::vector<std::size_t> starts;
        Image out;
        std::size_t padded;          // outputs, filled up
        std::vector<float> weights;  // by input, then output
        std::vector<float> bias;

        std::size_t inputs() const;  // of one output
    };

    void append(Layer layer);
    template <typename Number>
    void run(std::span<const Number> inputs, std::size_t count, const Found& found);
    void convolve(const Layer& layer, std::size_t count);
    void multiply(const Layer& layer, std::size_t count);
    void rectify(const Layer& layer, std::size_t count);
    void judge(const float* logits, std::span<float> policy, double& value);

    Image inputs_;
    std::size_t room_;
    Kernels kernels_;
    std::vector<Layer> layers_;
    std::vector<double> points_;       // of the value; none before the heads are there
    std::vector<double> shares_;       // of the actions, or of the points
    std::vector<float> now_;           // what goes into a layer
    std::vector<float> next_;          // what comes out
    std::vector<Active> active_;       // inputs of a dense layer, state by state
    std::vector<std::size_t> begins_;  // of what is left of each state's
    std::vector<std::size_t> ends_;
};

}  // namespace widthwise
