// Depth-based novelty: for every tuple of feature values the smallest depth it was seen at, and the node that
// showed it.
//
// A node is novel if it shows a tuple that was not seen at its depth or above. It then owns that tuple (the
// mapping N of Algorithm 3), and the node that owned it before loses it. Feature vectors are bytes:
// `item_size` bytes a value. With an item size of 0 a vector is a set: the numbers of the features that are
// true, 32 bits each, in order; a tuple of width 1 is such a number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace widthwise {

class DepthTable {
public:
    // Width 1 or 2; 0 stands for whole vectors ("n" in the paper).
    DepthTable(std::uint32_t width, std::uint32_t item_size);

    // Shows the vector of a node; returns how many tuples the node owns now. `losers` receives the former
    // owner of each of them that had one. `before`, if not empty, is a vector of which the table has seen
    // every tuple at a smaller depth (the parent's): tuples that both share are skipped.
    std::uint32_t insert(std::string_view features, std::uint32_t depth, std::uint32_t node,
                         std::string_view before, std::vector<std::uint32_t>& losers);

    // The smallest depth a tuple was seen at, for every tuple of the vector.
    std::vector<std::uint32_t> depths(std::string_view features) const;

    std::size_t size() const {
        return width_ == 0 ? whole_.size() : width_ == 1 ? singles_.size() : pairs_.size();
    }
    std::size_t bytes() const;
    void clear();

    // The contents of the table as bytes, and back. `load` refuses bytes that are not such contents.
    std::string save() const;
    void load(std::string_view saved);

private:
    struct Owner {
        std::uint32_t depth, node;
    };

    // Open addressing; the key 0 marks a free slot.
    class Map {
    public:
        Owner* find(std::uint64_t key);
        const Owner* find(std::uint64_t key) const;
        void add(std::uint64_t key, Owner owner);
        std::size_t size() const { return count_; }
        std::size_t bytes() const { return slots_.size() * sizeof(Slot); }
        void clear();

        struct Slot {
            std::uint64_t key = 0;
            Owner owner{0, 0};
        };
        std::vector<Slot> sorted() const;  // what is in it, by key

    private:
        std::size_t place(std::uint64_t key) const;
        void grow();
        std::vector<Slot> slots_;
        std::size_t count_ = 0;
    };

    std::uint32_t value(std::string_view features, std::size_t index) const;
    std::uint64_t single_key(std::size_t index, std::uint32_t value) const {
        return (static_cast<std::uint64_t>(index) << 32 | value) + 1;
    }
    void changed(std::string_view features, std::string_view before);
    std::uint32_t insert_set(std::string_view features, Owner owner, std::string_view before,
                             std::vector<std::uint32_t>& losers);
    bool claim(Map& map, std::uint64_t key, Owner owner, std::vector<std::uint32_t>& losers);
    static bool take(Owner* known, Owner owner, std::vector<std::uint32_t>& losers);
    std::uint32_t insert_pairs(std::string_view features, Owner owner, std::vector<std::uint32_t>& losers);

    std::uint32_t width_, item_size_;
    Map singles_;  // width 1; at width 2 the `node` of a value is its number in pair keys
    Map pairs_;
    std::unordered_map<std::string, Owner> whole_;
    std::vector<std::uint32_t> changed_, numbers_;  // scratch: changed positions, numbers of values
};

}  // namespace widthwise
