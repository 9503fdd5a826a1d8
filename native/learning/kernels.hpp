// The inner loops of the network's forward pass, compiled once for every kind of vector registers.
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

// Weights are by input, then output; `outputs` is a multiple of kOutputs.
struct Kernels {
    // Every place's outputs, not below 0.
    void (*convolve)(const float* image, const Patches& patches, const float* weights, const float* bias,
                     std::size_t outputs, float* out);
    // Adds to the sums in `out` what `count` active inputs contribute.
    void (*add)(const Active* active, std::size_t count, const float* weights, std::size_t outputs,
                float* out);
};

Kernels plain_kernels();
#ifdef __x86_64__
bool has_avx2();
bool has_avx512();
Kernels avx2_kernels();
Kernels avx512_kernels();
#endif

}  // namespace widthwise
