// Rows of integers of different lengths in two flat arrays ("compressed rows"): the shape of everything a
// grounded task holds per operator. Rows are appended once and then only read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace widthwise {

class Rows {
public:
    void append(std::span<const std::uint32_t> row) {
        items_.insert(items_.end(), row.begin(), row.end());
        offsets_.push_back(static_cast<std::uint32_t>(items_.size()));
    }

    std::span<const std::uint32_t> operator[](std::size_t index) const {
        return {items_.data() + offsets_[index], items_.data() + offsets_[index + 1]};
    }

    std::size_t size() const { return offsets_.size() - 1; }
    // Items are numbered across rows: where a row begins, and what stands there.
    std::uint32_t begin_of(std::size_t index) const { return offsets_[index]; }
    std::uint32_t item(std::size_t number) const { return items_[number]; }
    std::size_t item_count() const { return items_.size(); }
    std::size_t bytes() const { return (offsets_.capacity() + items_.capacity()) * sizeof(std::uint32_t); }

    void shrink() {
        offsets_.shrink_to_fit();
        items_.shrink_to_fit();
    }

private:
    std::vector<std::uint32_t> offsets_ = {0};
    std::vector<std::uint32_t> items_;
};

}  // namespace widthwise
