// Which vector registers there are: the processor must have them, and the operating system must save them.
//
// The processor is asked directly. __builtin_cpu_supports would need a part of the compiler's library that
// not every clang comes with.
#ifdef __x86_64__
#include <cpuid.h>

#include <cstdint>

#include "learning/kernels.hpp"

namespace widthwise {

namespace {

// What the operating system saves when it changes threads, as bits of a control register.
constexpr std::uint32_t kSavesAvx = 0x06;     // the halves of 256 bits
constexpr std::uint32_t kSavesAvx512 = 0xe6;  // masks and registers of 512 bits as well

struct Answer {
    unsigned a = 0, b = 0, c = 0, d = 0;  // all 0 if the processor does not know the question
};

Answer ask(unsigned leaf) {
    Answer answer;
    __get_cpuid_count(leaf, 0, &answer.a, &answer.b, &answer.c, &answer.d);
    return answer;
}

bool saves(std::uint32_t wanted) {
    if ((ask(1).c & bit_OSXSAVE) == 0) return false;
    std::uint32_t low = 0, high = 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (low & wanted) == wanted;
}

}  // namespace

bool has_avx2() {
    return (ask(1).c & bit_FMA) != 0 && (ask(7).b & bit_AVX2) != 0 && saves(kSavesAvx);
}

bool has_avx512() {
    return has_avx2() && (ask(7).b & bit_AVX512F) != 0 && saves(kSavesAvx512);
}

}  // namespace widthwise
#endif
