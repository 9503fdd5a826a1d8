// A column that grows in fixed-size chunks: it never moves what it holds, so pointers into it stay valid, and
// it never holds more than one chunk beyond what is used. A vector that doubles would break the promise about
// memory per node by a factor of two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/meter.hpp"
#include "search/bits.hpp"

namespace widthwise {

// Fixed-width rows of T, `width` items each; width 1 makes it an ordinary column.
template <class T>
class Chunks {
public:
    Chunks(Meter& meter, std::size_t width) : meter_(&meter), width_(width) {
        // About 32 KB a chunk: small enough for tiny budgets, large enough that chunks are rare.
        while (shift_ > 0 && (width_ * sizeof(T) << shift_) > 32768) --shift_;
        mask_ = (std::size_t{1} << shift_) - 1;
    }
    Chunks(const Chunks&) = delete;
    Chunks& operator=(const Chunks&) = delete;
    ~Chunks() { meter_->release(bytes()); }

    // Room for one more row. False if the memory limit forbids it.
    bool reserve_one() {
        if ((size_ & mask_) != 0 || (size_ >> shift_) < chunks_.size()) return true;
        const std::size_t items = width_ << shift_;
        if (!meter_->charge(items * sizeof(T))) return false;
        chunks_.push_back(std::make_unique_for_overwrite<T[]>(items));
        return true;
    }
    // The next row, to be filled in; call `reserve_one` first.
    T* push() { return row(size_++); }
    T* row(std::size_t index) { return chunks_[index >> shift_].get() + (index & mask_) * width_; }
    const T* row(std::size_t index) const {
        return chunks_[index >> shift_].get() + (index & mask_) * width_;
    }
    T& operator[](std::size_t index) { return *row(index); }
    const T& operator[](std::size_t index) const { return *row(index); }
    std::size_t size() const { return size_; }
    // The first index beyond the chunk of an index: up to there rows lie one after another.
    std::size_t chunk_end(std::size_t index) const { return ((index >> shift_) + 1) << shift_; }
    std::size_t bytes() const { return chunks_.size() * (width_ << shift_) * sizeof(T); }

private:
    Meter* meter_;
    std::size_t width_;
    std::size_t shift_ = 13;
    std::size_t mask_ = 0;
    std::size_t size_ = 0;
    std::vector<std::unique_ptr<T[]>> chunks_;
};

}  // namespace widthwise
