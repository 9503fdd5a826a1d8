// A column that grows in fixed-size chunks: it never moves what it holds, so pointers into it stay valid, and
// it never holds more than one chunk beyond what is used. A vector that doubles would break the promise about
// memory per node by a factor of two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/meter.hpp"
#include "state/bits.hpp"

namespace widthwise {

// Rows of T, `width` items each. An ordinary column has the constant width 1 (`kWidth`), so that the address
// of an item takes neither a multiplication nor a read from this object.
template <class T, std::size_t kWidth = 0>
class Chunks {
public:
    explicit Chunks(Meter& meter, std::size_t width = kWidth)
        : meter_(&meter), width_(width), shift_(shift_for(width)) {}
    Chunks(const Chunks&) = delete;
    Chunks& operator=(const Chunks&) = delete;
    ~Chunks() { meter_->release(bytes()); }

    // Room for one more row. False if the memory limit forbids it.
    bool reserve_one() {
        if ((size_ & mask()) != 0 || (size_ >> shift()) < chunks_.size()) return true;
        const std::size_t items = width() << shift();
        if (!meter_->charge(items * sizeof(T))) return false;
        chunks_.push_back(std::make_unique_for_overwrite<T[]>(items));
        return true;
    }
    // The next row, to be filled in; call `reserve_one` first.
    T* push() { return row(size_++); }
    T* row(std::size_t index) { return chunks_[index >> shift()].get() + (index & mask()) * width(); }
    const T* row(std::size_t index) const {
        return chunks_[index >> shift()].get() + (index & mask()) * width();
    }
    T& operator[](std::size_t index) { return *row(index); }
    const T& operator[](std::size_t index) const { return *row(index); }
    std::size_t size() const { return size_; }
    // The first index beyond the chunk of an index: up to there rows lie one after another.
    std::size_t chunk_end(std::size_t index) const { return ((index >> shift()) + 1) << shift(); }
    std::size_t bytes() const { return chunks_.size() * (width() << shift()) * sizeof(T); }

private:
    // About 32 KB a chunk: small enough for tiny budgets, large enough that chunks are rare.
    static constexpr std::size_t shift_for(std::size_t width) {
        std::size_t shift = 13;
        while (shift > 0 && (width * sizeof(T) << shift) > 32768) --shift;
        return shift;
    }
    std::size_t width() const { return kWidth != 0 ? kWidth : width_; }
    std::size_t shift() const { return kWidth != 0 ? shift_for(kWidth) : shift_; }
    std::size_t mask() const { return (std::size_t{1} << shift()) - 1; }

    Meter* meter_;
    std::size_t width_, shift_;
    std::size_t size_ = 0;
    std::vector<std::unique_ptr<T[]>> chunks_;
};

}  // namespace widthwise
