// Entries by a small key, first come first served among equals.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/meter.hpp"

namespace widthwise {

template <class Entry>
class BucketQueue {
public:
    explicit BucketQueue(Meter& meter) : meter_(&meter) {}
    BucketQueue(const BucketQueue&) = delete;
    BucketQueue& operator=(const BucketQueue&) = delete;
    ~BucketQueue() { meter_->release(charged_); }

    bool empty() const { return size_ == 0; }

    // False if the memory limit forbids it.
    bool push(std::size_t key, const Entry& entry) {
        if (key >= buckets_.size()) {
            if (!charge((key + 1 - buckets_.size()) * sizeof(Bucket))) return false;
            buckets_.resize(key + 1);
        }
        auto& items = buckets_[key].items;
        if (items.size() == items.capacity()) {
            const std::size_t more = std::max<std::size_t>(8, items.capacity() / 2);
            if (!charge(more * sizeof(Entry))) return false;
            items.reserve(items.capacity() + more);
        }
        items.push_back(entry);
        least_ = size_ == 0 ? key : std::min(least_, key);
        ++size_;
        return true;
    }

    Entry pop() {
        while (buckets_[least_].head == buckets_[least_].items.size()) ++least_;
        Bucket& bucket = buckets_[least_];
        const Entry entry = bucket.items[bucket.head++];
        if (bucket.head == bucket.items.size()) {
            bucket.items.clear();
            bucket.head = 0;
        }
        --size_;
        return entry;
    }

private:
    struct Bucket {
        std::vector<Entry> items;
        std::size_t head = 0;
    };

    bool charge(std::size_t bytes) {
        if (!meter_->charge(bytes)) return false;
        charged_ += bytes;
        return true;
    }

    Meter* meter_;
    std::vector<Bucket> buckets_;
    std::size_t least_ = 0;
    std::size_t size_ = 0;
    std::size_t charged_ = 0;
};

}  // namespace widthwise
