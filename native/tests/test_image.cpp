// Pictures made small, frames as channels, digests.
#include <doctest/doctest.h>

#include <cstdint>
#include <set>
#include <stdexcept>
#include <vector>

#include "image/digest.hpp"
#include "image/interleave.hpp"
#include "image/patches.hpp"
#include "image/screen.hpp"
#include "image/shrink.hpp"
#include "tests/support.hpp"

using namespace widthwise;
using namespace widthwise::tests;

namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes random_bytes(Random& random, std::size_t size) {
    Bytes bytes(size);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.below(256));
    return bytes;
}

// How much of pixel `pixel` lies in tile `tile`, in units of one part of `tiles` of a pixel.
std::uint64_t overlap(std::uint64_t pixel, std::uint64_t pixels, std::uint64_t tile, std::uint64_t tiles) {
    const std::uint64_t begin = std::max(pixel * tiles, tile * pixels),
                        end = std::min((pixel + 1) * tiles, (tile + 1) * pixels);
    return begin < end ? end - begin : 0;
}

// The value of a tile by its definition, in whole numbers.
std::uint8_t mean(const Bytes& image, const Size& size, std::uint32_t rows, std::uint32_t columns,
                  std::uint32_t values, bool nearest, std::uint32_t row, std::uint32_t column,
                  std::uint32_t channel) {
    std::uint64_t sum = 0;
    for (std::uint32_t y = 0; y < size.rows; ++y)
        for (std::uint32_t x = 0; x < size.columns; ++x)
            sum += overlap(y, size.rows, row, rows) * overlap(x, size.columns, column, columns) *
                   image[(std::size_t{y} * size.columns + x) * size.channels + channel];
    const std::uint64_t area = std::uint64_t{size.rows} * size.columns;
    if (nearest) return static_cast<std::uint8_t>((2 * sum * (values - 1) + area * 255) / (2 * area * 255));
    return static_cast<std::uint8_t>(sum * values / (area * 256));
}

}  // namespace

TEST_CASE("tiles are exact means, however their borders cut the pixels") {
    Random random(1);
    struct Case {
        Size size;
        std::uint32_t rows, columns, values;
        bool nearest;
    };
    for (const Case& one : {Case{{7, 5, 1}, 3, 2, 256, false}, Case{{7, 5, 3}, 7, 5, 128, false},
                            Case{{21, 16, 1}, 14, 7, 256, true}, Case{{10, 10, 1}, 1, 1, 2, false},
                            Case{{9, 40, 2}, 4, 3, 256, true}}) {
        Shrink shrink(one.size, one.rows, one.columns, one.values, one.nearest);
        const Bytes image = random_bytes(random, shrink.input_size());
        Bytes tiles(shrink.output_size());
        shrink(image, tiles);
        std::size_t index = 0;
        for (std::uint32_t row = 0; row < one.rows; ++row) {
            Bytes single(one.columns * one.size.channels);
            shrink.row(image, row, single);
            for (std::uint32_t column = 0; column < one.columns; ++column)
                for (std::uint32_t channel = 0; channel < one.size.channels; ++channel, ++index) {
                    CHECK(tiles[index] == mean(image, one.size, one.rows, one.columns, one.values,
                                               one.nearest, row, column, channel));
                    CHECK(single[column * one.size.channels + channel] == tiles[index]);
                }
        }
    }
}

TEST_CASE("sizes that make no sense are refused") {
    CHECK_THROWS_AS(Shrink({0, 5, 1}, 1, 1, 256, false), std::invalid_argument);
    CHECK_THROWS_AS(Shrink({5, 5, 1}, 6, 1, 256, false), std::invalid_argument);
    CHECK_THROWS_AS(Shrink({5, 5, 1}, 1, 1, 1, false), std::invalid_argument);
    CHECK_THROWS_AS(Shrink({5, 5, 17}, 1, 1, 256, false), std::invalid_argument);
}

TEST_CASE("a screen is the small picture of its grays, whatever was looked at before") {
    constexpr std::uint32_t rows = 12, columns = 9, small = 4;
    Random random(2);
    Screen screen(rows, columns, small, small);
    Bytes gray_of = random_bytes(random, 256), colours(rows * columns, 0);
    Bytes picture(small * small);
    CHECK_FALSE(screen.look(colours, picture));
    const auto grays = [&] {
        Bytes result;
        for (const std::uint8_t colour : colours) result.push_back(gray_of[colour]);
        return result;
    };
    Shrink shrink({rows, columns, 1}, small, small, 256, true);
    int learned = 0;
    for (int turn = 0; turn < 60; ++turn) {
        for (int change = 0; change < 5; ++change)
            colours[random.below(rows * columns)] = static_cast<std::uint8_t>(random.below(20));
        if (turn == 30) gray_of = random_bytes(random, 256);
        if (turn == 30 || !screen.look(colours, picture)) {
            screen.learn(colours, grays());
            ++learned;
            REQUIRE(screen.look(colours, picture));
        }
        Bytes expected(small * small);
        if (turn >= 30) {
            // A colour that is not on the screen keeps the gray it had: learn all of them again.
            screen.learn(colours, grays());
            REQUIRE(screen.look(colours, picture));
        }
        shrink(grays(), expected);
        CHECK(picture == expected);
    }
    CHECK(learned > 1);
    CHECK_THROWS_AS(screen.look(Bytes(3), picture), std::invalid_argument);
}

TEST_CASE("frames become the channels of an image") {
    const Bytes first = {1, 2, 3}, second = {4, 5, 6}, third = {7, 8, 9}, fourth = {10, 11, 12};
    for (std::size_t count = 1; count <= 4; ++count) {
        const std::vector<std::span<const std::uint8_t>> all = {first, second, third, fourth};
        Bytes image(3 * count);
        interleave(std::span(all).first(count), image);
        for (std::size_t pixel = 0; pixel < 3; ++pixel)
            for (std::size_t frame = 0; frame < count; ++frame)
                CHECK(image[pixel * count + frame] == all[frame][pixel]);
    }
}

TEST_CASE("digests tell arrays apart that differ in a bit, in length, or in their order") {
    Random random(3);
    std::set<std::uint64_t> seen;
    std::size_t count = 0;
    for (std::size_t size = 0; size < 70; ++size) {
        Bytes bytes = random_bytes(random, size);
        CHECK(digest(bytes, 0) == digest(bytes, 0));
        for (std::size_t bit = 0; bit <= size * 8; ++bit) {
            Bytes other = bytes;
            if (bit < size * 8) other[bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
            seen.insert(digest(other, 0));
            ++count;
        }
    }
    const Bytes zeros(40), more(41);
    seen.insert(digest(zeros, 0));
    seen.insert(digest(more, 0));
    seen.insert(digest(zeros, 1));
    CHECK(seen.size() == count + 3);
    CHECK(digest(zeros, digest(more, 5)) != digest(more, digest(zeros, 5)));
}

TEST_CASE("a screen shows its colours tile by tile, and pairs of them by their offsets") {
    Patches patches(14, 16);  // a tile is a pixel
    Bytes colours(14 * 16, 0);
    colours[0] = 5;
    colours[2 * 16 + 3] = 7;
    const std::vector<std::uint16_t> now = patches.of(colours);
    REQUIRE(now.size() == 14 * 16);
    CHECK(now.front() == 5);
    std::vector<std::uint16_t> background;  // all of colour 0
    for (const std::uint16_t patch : now)
        if (patch % Patches::kColours == 0) background.push_back(patch);
    const auto pair = [](std::uint32_t base, std::uint32_t from, std::uint32_t to, std::uint32_t down,
                         std::uint32_t right) {
        return base + (from * 128 + to) * Patches::kOffsets + (down + 13) * 31 + right + 15;
    };
    const std::uint32_t first = 5, second = (2 * 16 + 3) * 128 + 7;
    const std::vector<std::uint32_t> expected = {first, second, pair(Patches::kSpace, 5, 5, 0, 0),
                                                 pair(Patches::kSpace, 5, 7, 2, 3),
                                                 pair(Patches::kSpace, 7, 7, 0, 0)};
    CHECK(screen_features(now, {}, background, true, true) == expected);
    // The second patch was there before and the first was not.
    const std::vector<std::uint16_t> before = {static_cast<std::uint16_t>(second)};
    const std::vector<std::uint32_t> in_time = screen_features(now, before, background, false, true);
    REQUIRE(in_time.size() == 4);
    CHECK(in_time[3] == pair(Patches::kTime, 7, 7, 0, 0));
    CHECK(in_time[2] == Patches::kTime + (7 * 128 + 5) * Patches::kOffsets + 11 * 31 + 12);
    CHECK_THROWS_AS(patches.of(Bytes(3)), std::invalid_argument);
    CHECK_THROWS_AS(Patches(13, 16), std::invalid_argument);
}
