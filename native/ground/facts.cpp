#include "ground/facts.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace widthwise::ground {

namespace {

constexpr std::uint64_t multiplier = 0x9e3779b97f4a7c15;

std::uint64_t mix(std::uint64_t hash, Object value) {
    hash = (hash + value + 1) * multiplier;
    return hash ^ (hash >> 32);
}

// The upper half tells apart what the lower half, which chooses the slot, does not.
std::uint32_t tag_of(std::uint64_t hash) {
    return static_cast<std::uint32_t>(hash >> 32);
}

std::uint64_t hash_all(const Object* args, std::uint32_t arity) {
    std::uint64_t hash = 0;
    for (std::uint32_t position = 0; position < arity; ++position) hash = mix(hash, args[position]);
    return hash * multiplier;
}

std::uint64_t hash_key(const Object* key, std::uint32_t positions) {
    return hash_all(key, static_cast<std::uint32_t>(std::popcount(positions)));
}

std::uint64_t hash_at(const Object* args, std::uint32_t positions) {
    std::uint64_t hash = 0;
    for (std::uint32_t rest = positions; rest != 0; rest &= rest - 1)
        hash = mix(hash, args[std::countr_zero(rest)]);
    return hash * multiplier;
}

// A table is at most half full.
bool crowded(std::size_t used, std::size_t slots) {
    return 2 * (used + 1) > slots;
}

}  // namespace

std::uint32_t FactTable::find(const Object* args) const {
    if (slots_.empty()) return none;
    const std::uint64_t hash = hash_all(args, arity_);
    const std::size_t last = slots_.size() - 1;
    for (std::size_t place = tag_of(hash) & last;; place = (place + 1) & last) {
        const Slot& slot = slots_[place];
        if (slot.fact == none) return none;
        if (slot.tag == tag_of(hash) && std::equal(args, args + arity_, this->args(slot.fact)))
            return slot.fact;
    }
}

std::uint32_t FactTable::insert(const Object* args) {
    if (crowded(size_, slots_.size())) grow();
    const std::uint64_t hash = hash_all(args, arity_);
    const std::size_t last = slots_.size() - 1;
    for (std::size_t place = tag_of(hash) & last;; place = (place + 1) & last) {
        Slot& slot = slots_[place];
        if (slot.fact == none) {
            if (size_ == none - 1)
                throw std::length_error("more facts of one predicate than numbers for them");
            args_.insert(args_.end(), args, args + arity_);
            slot = {size_, tag_of(hash)};
            return size_++;
        }
        if (slot.tag == tag_of(hash) && std::equal(args, args + arity_, this->args(slot.fact)))
            return slot.fact;
    }
}

void FactTable::grow() {
    Metered<Slot> wider(std::max<std::size_t>(8, 2 * slots_.size()), Slot{}, slots_.get_allocator());
    const std::size_t last = wider.size() - 1;
    for (const Slot& slot : slots_) {
        if (slot.fact == none) continue;
        std::size_t place = slot.tag & last;
        while (wider[place].fact != none) place = (place + 1) & last;
        wider[place] = slot;
    }
    slots_ = std::move(wider);
}

std::uint32_t FactTable::settle() {
    for (Index& index : indices_) add_to(index, settled_);
    return settled_++;
}

FactTable::Index& FactTable::index(std::uint32_t positions) {
    for (Index& index : indices_)
        if (index.positions() == positions) return index;
    Index& index = indices_.emplace_back(positions, *meter_);
    for (std::uint32_t fact = 0; fact < settled_; ++fact) add_to(index, fact);
    return index;
}

void FactTable::add_to(Index& index, std::uint32_t fact) {
    if (crowded(index.used_, index.slots_.size())) grow(index);
    const Object* args = this->args(fact);
    const std::uint64_t hash = hash_at(args, index.positions_);
    const std::size_t last = index.slots_.size() - 1;
    for (std::size_t place = tag_of(hash) & last;; place = (place + 1) & last) {
        Index::Slot& slot = index.slots_[place];
        if (slot.bucket.first == none) {
            index.next_.push_back(none);
            slot = {{fact, 1}, tag_of(hash)};
            ++index.used_;
            return;
        }
        if (slot.tag != tag_of(hash)) continue;
        const Object* other = this->args(slot.bucket.first);
        bool same = true;
        for (std::uint32_t rest = index.positions_; rest != 0 && same; rest &= rest - 1)
            same = args[std::countr_zero(rest)] == other[std::countr_zero(rest)];
        if (!same) continue;
        index.next_.push_back(slot.bucket.first);
        slot.bucket.first = fact;
        ++slot.bucket.count;
        return;
    }
}

void FactTable::grow(Index& index) {
    Metered<Index::Slot> wider(std::max<std::size_t>(8, 2 * index.slots_.size()), Index::Slot{},
                               index.slots_.get_allocator());
    const std::size_t last = wider.size() - 1;
    for (const Index::Slot& slot : index.slots_) {
        if (slot.bucket.first == none) continue;
        std::size_t place = slot.tag & last;
        while (wider[place].bucket.first != none) place = (place + 1) & last;
        wider[place] = slot;
    }
    index.slots_ = std::move(wider);
}

Bucket FactTable::lookup(const Index& index, const Object* key) const {
    if (index.slots_.empty()) return {};
    const std::uint64_t hash = hash_key(key, index.positions_);
    const std::size_t last = index.slots_.size() - 1;
    for (std::size_t place = tag_of(hash) & last;; place = (place + 1) & last) {
        const Index::Slot& slot = index.slots_[place];
        if (slot.bucket.first == none) return {};
        if (slot.tag != tag_of(hash)) continue;
        const Object* args = this->args(slot.bucket.first);
        const Object* value = key;
        bool same = true;
        for (std::uint32_t rest = index.positions_; rest != 0 && same; rest &= rest - 1)
            same = args[std::countr_zero(rest)] == *value++;
        if (same) return slot.bucket;
    }
}

}  // namespace widthwise::ground
