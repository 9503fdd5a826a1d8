// The facts of one predicate, numbered in the order they came, with indices over any set of argument
// positions.
//
// Facts live in one flat array; everything that finds them is an open-addressing table of fact numbers, so
// memory is linear in the number of facts and nothing is allocated per fact.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>

#include "ground/lifted.hpp"
#include "ground/metered.hpp"

namespace widthwise::ground {

// The facts that agree on some argument positions, as a linked list through `next`.
struct Bucket {
    std::uint32_t first = none;
    std::uint32_t count = 0;
};

// Positions from this one on are not indexed but compared.
constexpr std::uint32_t indexable_positions = 32;

class FactTable {
public:
    class Index {
    public:
        Index(std::uint32_t positions, Meter& meter)
            : positions_(positions), slots_(meter_of(meter)), next_(meter_of(meter)) {}

        std::uint32_t positions() const { return positions_; }
        std::uint32_t next(std::uint32_t fact) const { return next_[fact]; }

    private:
        friend class FactTable;
        struct Slot {
            Bucket bucket;
            std::uint32_t tag = 0;
        };
        static MeteredAllocator<Slot> meter_of(Meter& meter) { return MeteredAllocator<Slot>(meter); }

        std::uint32_t positions_;  // bit p: argument p is part of the key
        Metered<Slot> slots_;
        Metered<std::uint32_t> next_;
        std::uint32_t used_ = 0;
    };

    FactTable(std::uint32_t arity, Meter& meter)
        : arity_(arity),
          meter_(&meter),
          args_(MeteredAllocator<Object>(meter)),
          slots_(MeteredAllocator<Slot>(meter)) {}

    std::uint32_t arity() const { return arity_; }
    std::uint32_t size() const { return size_; }
    const Object* args(std::uint32_t fact) const { return args_.data() + std::size_t{fact} * arity_; }

    // Facts with numbers below this are *settled*: part of every index.
    std::uint32_t settled() const { return settled_; }
    bool all_settled() const { return settled_ == size_; }
    // Settles the next fact and returns its number.
    std::uint32_t settle();
    void settle_all() {
        while (!all_settled()) settle();
    }

    // The number of a fact, settled or not; `none` if there is no such fact.
    std::uint32_t find(const Object* args) const;
    // The number of a fact that is added if it is not there.
    std::uint32_t insert(const Object* args);

    // The index over a set of positions, made when first asked for. The reference stays good.
    Index& index(std::uint32_t positions);
    // The settled facts whose arguments at the index's positions are `key` (one value per position,
    // ascending).
    Bucket lookup(const Index& index, const Object* key) const;

private:
    struct Slot {
        std::uint32_t fact = none;
        std::uint32_t tag = 0;
    };

    void grow();
    void add_to(Index& index, std::uint32_t fact);
    void grow(Index& index);

    std::uint32_t arity_;
    std::uint32_t size_ = 0;
    std::uint32_t settled_ = 0;
    Meter* meter_;
    Metered<Object> args_;
    Metered<Slot> slots_;
    std::deque<Index> indices_;
};

}  // namespace widthwise::ground
