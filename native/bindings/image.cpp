// Python's view of shrinking images.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <vector>

#include "bindings/bindings.hpp"
#include "image/digest.hpp"
#include "image/interleave.hpp"
#include "image/patches.hpp"
#include "image/screen.hpp"
#include "image/shrink.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using widthwise::Patches;
using widthwise::Screen;
using widthwise::Shrink;
using widthwise::Size;

namespace {

using Bytes = nb::ndarray<const std::uint8_t, nb::c_contig, nb::device::cpu>;

void shrink(Shrink& self, const Bytes& image,
            const nb::ndarray<std::uint8_t, nb::c_contig, nb::device::cpu>& out) {
    self({image.data(), image.size()}, {out.data(), out.size()});
}

void interleave(const std::vector<Bytes>& frames,
                const nb::ndarray<std::uint8_t, nb::c_contig, nb::device::cpu>& image) {
    std::vector<std::span<const std::uint8_t>> parts;
    parts.reserve(frames.size());
    for (const Bytes& frame : frames) parts.emplace_back(frame.data(), frame.size());
    widthwise::interleave(parts, {image.data(), image.size()});
}

std::uint64_t digest(const std::vector<Bytes>& parts) {
    std::uint64_t result = 0;
    for (const Bytes& part : parts) result = widthwise::digest({part.data(), part.size()}, result);
    return result;
}

// Numbers of 16 bits in bytes, as `Patches.of` returns them.
std::vector<std::uint16_t> numbers(const nb::bytes& bytes) {
    if (bytes.size() % sizeof(std::uint16_t) != 0) throw std::invalid_argument("patches have half a number");
    std::vector<std::uint16_t> result(bytes.size() / sizeof(std::uint16_t));
    if (!result.empty()) std::memcpy(result.data(), bytes.c_str(), bytes.size());  // no memory, no pointer
    if (!std::ranges::is_sorted(result)) throw std::invalid_argument("patches are not in order");
    return result;
}

template <typename Number>
nb::bytes bytes_of(const std::vector<Number>& numbers) {
    return nb::bytes(numbers.data(), numbers.size() * sizeof(Number));
}

nb::bytes screen_features(const nb::bytes& now, const nb::bytes& before, const nb::bytes& background,
                          bool space, bool time) {
    return bytes_of(
        widthwise::screen_features(numbers(now), numbers(before), numbers(background), space, time));
}

}  // namespace

void bind_image(nb::module_& module) {
    nb::class_<Shrink>(module, "Shrink", "Area averages of an image's tiles.")
        .def(
            "__init__",
            [](Shrink* self, std::uint32_t rows, std::uint32_t columns, std::uint32_t channels,
               std::uint32_t tile_rows, std::uint32_t tile_columns, std::uint32_t values, bool nearest) {
                new (self) Shrink(Size{rows, columns, channels}, tile_rows, tile_columns, values, nearest);
            },
            "rows"_a, "columns"_a, "channels"_a, "tile_rows"_a, "tile_columns"_a, "values"_a = 256,
            "nearest"_a = false)
        .def_prop_ro("output_size", &Shrink::output_size, "How many numbers come out.")
        .def("__call__", &shrink, "image"_a.noconvert(), "out"_a.noconvert(),
             nb::sig("def __call__(self, image: object, out: object) -> None"),
             "Write the tiles of an image into an array of bytes; both are contiguous arrays of bytes.");
    nb::class_<Screen>(module, "Screen", "A game's screen as a small gray picture.")
        .def(nb::init<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>(), "rows"_a, "columns"_a,
             "small_rows"_a, "small_columns"_a)
        .def(
            "look",
            [](Screen& self, const Bytes& colours,
               const nb::ndarray<std::uint8_t, nb::c_contig, nb::device::cpu>& picture) {
                return self.look({colours.data(), colours.size()}, {picture.data(), picture.size()});
            },
            "colours"_a.noconvert(), "picture"_a.noconvert(),
            nb::sig("def look(self, colours: object, picture: object) -> bool"),
            "Write the picture of a screen of numbered colours; False if one of them must be learned first.")
        .def(
            "learn",
            [](Screen& self, const Bytes& colours, const Bytes& grays) {
                self.learn({colours.data(), colours.size()}, {grays.data(), grays.size()});
            },
            "colours"_a.noconvert(), "grays"_a.noconvert(),
            nb::sig("def learn(self, colours: object, grays: object) -> None"),
            "Learn which gray each colour is, from a screen that is there in both ways.");
    nb::class_<Patches>(module, "Patches", "Which colours are in which of 14x16 tiles of a screen.")
        .def(nb::init<std::uint32_t, std::uint32_t>(), "rows"_a, "columns"_a)
        .def(
            "of",
            [](Patches& self, const Bytes& colours) {
                return bytes_of(self.of({colours.data(), colours.size()}));
            },
            "colours"_a.noconvert(), nb::sig("def of(self, colours: object) -> bytes"),
            "The patches of a screen of colours below 128: their numbers, tile * 128 + colour, 16 bits "
            "each.");
    module.def("screen_features", &screen_features, "now"_a, "before"_a, "background"_a, "space"_a, "time"_a,
               "The numbers of the true B-PROST features, 32 bits each, in order. Patches of the background "
               "are left "
               "out.");
    module.def("interleave", &interleave, "frames"_a.noconvert(), "image"_a.noconvert(),
               nb::sig("def interleave(frames: Sequence[object], image: object) -> None"),
               "Write frames into an image as its channels; all are contiguous arrays of bytes.");
    module.def(
        "digest", &digest, "parts"_a.noconvert(), nb::sig("def digest(parts: Sequence[object]) -> int"),
        "A number of 64 bits that tells contiguous arrays of bytes, one after the other, from others.");
}
