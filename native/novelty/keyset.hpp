// A set of integer keys in open addressing that asks the meter before it grows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/meter.hpp"
#include "state/bits.hpp"

namespace widthwise {

// 128-bit keys, for tuples that do not fit 64 bits.
struct WideKey {
    std::uint64_t high = 0, low = 0;
    bool operator==(const WideKey&) const = default;
};

inline std::uint64_t hash_key(std::uint64_t key) {
    return mix(key);
}
inline std::uint64_t hash_key(const WideKey& key) {
    return mix(key.low ^ mix(key.high));
}

// Keys are never the zero key: it marks a free slot.
template <class Key>
class KeySet {
public:
    explicit KeySet(Meter& meter) : meter_(&meter) {}
    KeySet(const KeySet&) = delete;
    KeySet& operator=(const KeySet&) = delete;
    ~KeySet() { meter_->release(bytes()); }

    bool contains(const Key& key) const {
        if (slots_.empty()) return false;
        for (std::size_t slot = hash_key(key) & mask_;; slot = (slot + 1) & mask_) {
            if (slots_[slot] == key) return true;
            if (slots_[slot] == Key{}) return false;
        }
    }

    // False if the memory limit forbids it; a key that is already there is not a failure.
    bool insert(const Key& key) {
        if ((count_ + 1) * 8 > slots_.size() * 6 && !grow()) return false;
        place(key);
        return true;
    }

    std::size_t size() const { return count_; }
    std::size_t bytes() const { return slots_.size() * sizeof(Key); }

private:
    void place(const Key& key) {
        for (std::size_t slot = hash_key(key) & mask_;; slot = (slot + 1) & mask_) {
            if (slots_[slot] == key) return;
            if (slots_[slot] == Key{}) {
                slots_[slot] = key;
                ++count_;
                return;
            }
        }
    }

    bool grow() {
        const std::size_t capacity = slots_.empty() ? 64 : slots_.size() * 2;
        if (!meter_->charge(capacity * sizeof(Key))) return false;
        std::vector<Key> old(capacity);
        old.swap(slots_);
        mask_ = capacity - 1;
        count_ = 0;
        for (const Key& key : old)
            if (!(key == Key{})) place(key);
        meter_->release(old.size() * sizeof(Key));
        return true;
    }

    Meter* meter_;
    std::vector<Key> slots_;
    std::size_t mask_ = 0;
    std::size_t count_ = 0;
};

}  // namespace widthwise
