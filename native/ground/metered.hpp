// Memory that asks the meter first: vectors whose every growth is charged and whose end gives the bytes back.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

#include "core/meter.hpp"

namespace widthwise::ground {

inline void poll(Meter& meter) {
    if (const Halt why = meter.poll(); why != Halt::none) throw Halted{why};
}

inline void charge(Meter& meter, std::uint64_t bytes) {
    if (!meter.charge(bytes)) throw Halted{Halt::memory};
}

template <class T>
class MeteredAllocator {
public:
    using value_type = T;

    explicit MeteredAllocator(Meter& meter) : meter_(&meter) {}
    template <class U>
    MeteredAllocator(const MeteredAllocator<U>& other) : meter_(other.meter()) {}

    T* allocate(std::size_t count) {
        charge(*meter_, count * sizeof(T));
        try {
            return std::allocator<T>().allocate(count);
        } catch (...) {
            meter_->release(count * sizeof(T));
            throw;
        }
    }
    void deallocate(T* place, std::size_t count) {
        std::allocator<T>().deallocate(place, count);
        meter_->release(count * sizeof(T));
    }

    Meter* meter() const { return meter_; }
    template <class U>
    bool operator==(const MeteredAllocator<U>& other) const {
        return meter_ == other.meter();
    }

private:
    Meter* meter_;
};

template <class T>
using Metered = std::vector<T, MeteredAllocator<T>>;

}  // namespace widthwise::ground
