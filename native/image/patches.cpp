#include "image/patches.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <stdexcept>

namespace widthwise {

namespace {

constexpr std::uint32_t kRows = Patches::kRows, kColumns = Patches::kColumns, kColours = Patches::kColours;
constexpr std::uint32_t kAcross = 2 * kColumns - 1;  // offsets between columns
constexpr std::uint32_t kEverywhere = (std::uint32_t{1} << kAcross) - 1;

// The tiles that show a colour: a bit for each tile, row by row.
struct Places {
    std::uint32_t colour;
    std::array<std::uint16_t, kRows> rows{};
};

// Patches by colour, without those of the background.
std::vector<Places> by_colour(std::span<const std::uint16_t> patches,
                              std::span<const std::uint16_t> background) {
    std::vector<Places> places;
    std::array<std::int16_t, kColours> index;
    index.fill(-1);
    auto skipped = background.begin();
    for (const std::uint16_t patch : patches) {
        while (skipped != background.end() && *skipped < patch) ++skipped;
        if (skipped != background.end() && *skipped == patch) continue;
        const std::uint32_t colour = patch % kColours, tile = patch / kColours;
        if (tile >= kRows * kColumns) throw std::invalid_argument("a patch lies outside the screen");
        if (index[colour] < 0) {
            index[colour] = static_cast<std::int16_t>(places.size());
            places.push_back({colour});
        }
        std::uint16_t& row = places[static_cast<std::size_t>(index[colour])].rows[tile / kColumns];
        row = static_cast<std::uint16_t>(row | 1U << tile % kColumns);
    }
    std::ranges::sort(places, {}, &Places::colour);
    return places;
}

// The offsets between columns at which tiles of `from` and tiles of `to` lie, a bit for each; `down` rows
// apart.
std::uint32_t offsets(const Places& from, const Places& to, int down) {
    std::uint32_t across = 0;
    const int first = std::max(0, -down), last = std::min<int>(kRows, static_cast<int>(kRows) - down);
    for (int row = first; row < last && across != kEverywhere; ++row) {
        const std::uint32_t there = to.rows[static_cast<std::size_t>(row + down)];
        if (there == 0) continue;
        for (std::uint32_t here = from.rows[static_cast<std::size_t>(row)]; here != 0; here &= here - 1)
            across |= there << (kColumns - 1 - static_cast<std::uint32_t>(std::countr_zero(here)));
    }
    return across;
}

// Adds the pairs of two colours. Without `all`, an offset and its opposite are one pair: the upper half is
// enough.
void add_pairs(const Places& from, const Places& to, std::uint32_t base, bool all,
               std::vector<std::uint32_t>& out) {
    const std::uint32_t pair = base + (from.colour * kColours + to.colour) * Patches::kOffsets;
    constexpr int kDown = static_cast<int>(kRows) - 1;
    for (int down = all ? -kDown : 0; down <= kDown; ++down) {
        std::uint32_t across = offsets(from, to, down);
        if (!all && down == 0) across &= ~std::uint32_t{0} << (kColumns - 1);
        const std::uint32_t line = pair + static_cast<std::uint32_t>(down + kDown) * kAcross;
        for (; across != 0; across &= across - 1)
            out.push_back(line + static_cast<std::uint32_t>(std::countr_zero(across)));
    }
}

}  // namespace

Patches::Patches(std::uint32_t rows, std::uint32_t columns)
    : rows_(rows),
      columns_(columns),
      tile_of_column_(columns),
      seen_(std::size_t{rows} * columns),
      tiles_(std::size_t{kRows} * kColumns) {
    if (rows < kRows || columns < kColumns)
        throw std::invalid_argument("a screen has at least 14 rows and 16 columns");
    for (std::size_t column = 0; column < columns; ++column)
        tile_of_column_[column] = static_cast<std::uint8_t>(column * kColumns / columns);
    for (std::size_t row = 0; row <= kRows; ++row) begins_[row] = (row * rows + kRows - 1) / kRows;
}

const std::vector<std::uint16_t>& Patches::of(std::span<const std::uint8_t> colours) {
    if (colours.size() != seen_.size())
        throw std::invalid_argument("the screen is not of the size that was announced");
    patches_.clear();
    for (std::size_t row = 0; row < kRows; ++row) {
        const std::size_t begin = begins_[row] * columns_, size = begins_[row + 1] * columns_ - begin;
        Colours* const tiles = tiles_.data() + row * kColumns;
        if (!known_ || std::memcmp(colours.data() + begin, seen_.data() + begin, size) != 0) {
            std::fill_n(tiles, kColumns, Colours{});
            for (std::size_t at = begin; at < begin + size; at += columns_)
                for (std::size_t column = 0; column < columns_; ++column) {
                    const std::uint8_t colour = colours[at + column] & (kColours - 1);
                    tiles[tile_of_column_[column]][colour >> 6] |= std::uint64_t{1} << (colour & 63);
                }
            std::memcpy(seen_.data() + begin, colours.data() + begin, size);
        }
        for (std::size_t column = 0; column < kColumns; ++column)
            for (std::size_t half = 0; half < 2; ++half)
                for (std::uint64_t set = tiles[column][half]; set != 0; set &= set - 1)
                    patches_.push_back(
                        static_cast<std::uint16_t>((row * kColumns + column) * kColours + half * 64 +
                                                   static_cast<std::size_t>(std::countr_zero(set))));
    }
    known_ = true;
    return patches_;
}

std::vector<std::uint32_t> screen_features(std::span<const std::uint16_t> now,
                                           std::span<const std::uint16_t> before,
                                           std::span<const std::uint16_t> background, bool space, bool time) {
    std::vector<std::uint32_t> out;
    std::ranges::set_difference(now, background, std::back_inserter(out));
    if (!space && !time) return out;
    const std::vector<Places> here = by_colour(now, background);
    if (space)
        for (std::size_t left = 0; left < here.size(); ++left)
            for (std::size_t right = left; right < here.size(); ++right)
                add_pairs(here[left], here[right], Patches::kSpace, left != right, out);
    if (time)
        for (const Places& earlier : by_colour(before, background))
            for (const Places& later : here) add_pairs(earlier, later, Patches::kTime, true, out);
    return out;
}

}  // namespace widthwise
