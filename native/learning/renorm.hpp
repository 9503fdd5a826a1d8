// Batch renormalisation with the ReLU after it, for training: as operations on whole tensors it is a dozen
// passes over memory forwards and backwards, here it is four.
#pragma once

#include <cstddef>
#include <span>

#include "learning/kernels.hpp"

namespace widthwise {

// What a layer's units learn, and the averages over many batches that they are normalised by in use.
struct Units {
    std::span<const float> weight;
    std::span<const float> bias;
    std::span<float> mean;
    std::span<float> variance;
};

// How a batch was normalised: ((x - mean) inverse ratio + shift) weight + bias.
struct Correction {
    std::span<float> mean;     // of the batch
    std::span<float> inverse;  // one divided by its deviation
    std::span<float> ratio;    // of its deviation and the average one
    std::span<float> shift;    // from the average mean to its own, in average deviations
};

struct Renorm {
    float momentum;  // how far the averages move towards a batch
    float epsilon;   // added to variances
    float ratio;     // and `shift`: how far a batch may be corrected towards the averages
    float shift;

    // Normalises a batch, a row of units for each place of each image; afterwards the averages follow it.
    void forward(std::span<const float> x, const Units& units, const Kernels& kernels, std::span<float> out,
                 const Correction& correction) const;
};

// A batch that went forward, and the gradient of what came out.
struct Passed {
    std::span<const float> x;
    std::span<const float> out;
    std::span<const float> gradient;
};

struct Gradients {
    std::span<float> x;
    std::span<float> weight;
    std::span<float> bias;
};

// Gradients flow through mean and deviation of the batch; ratio and shift are constants.
void renorm_backward(const Passed& passed, std::span<const float> weight, const Correction& correction,
                     const Kernels& kernels, const Gradients& gradients);

}  // namespace widthwise
