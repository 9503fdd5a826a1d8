// The inner loops of the network, compiled once for every kind of vector registers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace widthwise {

// Rows of outputs are filled up to a multiple of this.
inline constexpr std::size_t kOutputs = 16;

// What a convolution looks at: at each place `rows` stretches of `length` numbers, `stride` apart.
struct Patches {
    const std::size_t* starts;  // where the patch of each place begins in the image
    std::size_t places;
    std::size_t rows;
    std::size_t length;
    std::size_t stride;
};

// An input of a dense layer that is not 0.
struct Active {
    std::uint32_t input;
    float value;
};

// The rows of kOutputs units of a batch, `stride` numbers apart: one for each place of each image.
struct Block {
    std::size_t rows;
    std::size_t stride;
};

// Weights are by input, then output; `outputs` is a multiple of kOutputs.
struct Kernels {
    // Every place's outputs, not below 0.
    void (*convolve)(const float* image, const Patches& patches, const float* weights, const float* bias,
                     std::size_t outputs, float* out);
    // Adds to the sums in `out` what `count` active inputs contribute.
    void (*add)(const Active* active, std::size_t count, const float* weights, std::size_t outputs,
                float* out);

    // Sums of x - middle and of its square, for each unit of a block.
    void (*moments)(const Block& block, const float* x, const float* middle, double* sum, double* square);
    // (x - mean) gain + bias, not below 0.
    void (*normalise)(const Block& block, const float* x, const float* mean, const float* gain,
                      const float* bias, float* out);
    // Sums of the gradient, and of the gradient times x - mean, where `out` is above 0.
    void (*slopes)(const Block& block, const float* x, const float* mean, const float* out,
                   const float* gradient, double* sum, double* product);
    // (gradient where `out` is above 0 - constant - (x - mean) multiple) gain.
    void (*trace_back)(const Block& block, const float* x, const float* mean, const float* gain,
                       const float* constant, const float* multiple, const float* out, const float* gradient,
                       float* into);
};

Kernels plain_kernels();
#ifdef __x86_64__
bool has_avx2();
bool has_avx512();
Kernels avx2_kernels();
Kernels avx512_kernels();
#endif

}  // namespace widthwise
