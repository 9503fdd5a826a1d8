// The one search tree, in columns: per node its parent, the operator that led to it, its depth and flags, its
// state, and, in a hierarchy, the region it belongs to. Nodes are numbered in the order of generation, so a
// parent comes before its children, unless they were moved.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "state/chunks.hpp"

namespace widthwise {

inline constexpr std::uint32_t kNone = 0xffffffffU;  // no node, no operator, no region

enum NodeFlag : std::uint32_t {
    kPruned = 1,    // not kept: its tuples were not new where they had to be
    kExpanded = 2,  // all its successors have been generated
    kEntry = 4,     // its abstract state differs from its parent's
    kGoal = 8,
    kTraceless = 16,  // an entry: its tuples were not new in the region it was generated from
};

// Nodes generated one after another.
struct NodeRange {
    std::uint32_t begin, end;
};

class Tree {
public:
    Tree(Meter& meter, std::size_t word_count, bool with_regions)
        : parent_(meter),
          op_(meter),
          depth_flags_(meter),
          region_(meter),
          state_(meter, word_count),
          with_regions_(with_regions) {}

    // A new node whose state is still to be written; kNone if the memory limit, or the size of numbers,
    // forbids it. Where states come later, a node has none before `add_state` gives it one, node by node.
    template <bool kWithState = true>
    std::uint32_t add(std::uint32_t parent, std::uint32_t op, std::uint32_t depth) {
        if (parent_.size() >= kNone - 1) return kNone;  // no number is left
        if (!parent_.reserve_one() || !op_.reserve_one() || !depth_flags_.reserve_one() ||
            (kWithState && !state_.reserve_one()) || (with_regions_ && !region_.reserve_one()))
            return kNone;
        const auto node = static_cast<std::uint32_t>(parent_.size());
        *parent_.push() = parent;
        *op_.push() = op;
        *depth_flags_.push() = std::min(depth, kNone >> 5) << 5;
        if (with_regions_) *region_.push() = kNone;
        if constexpr (kWithState) state_.push();
        return node;
    }
    // The state, still to be written, of the first node that has none; null if the memory limit forbids it.
    Word* add_state() { return state_.reserve_one() ? state_.push() : nullptr; }

    // Another way to a node that has no children and no flags.
    void move(std::uint32_t node, std::uint32_t parent, std::uint32_t op) {
        parent_[node] = parent;
        op_[node] = op;
        depth_flags_[node] = std::min(depth(parent) + 1, kNone >> 5) << 5;
    }

    std::size_t size() const { return parent_.size(); }
    std::uint32_t parent(std::uint32_t node) const { return parent_[node]; }
    std::uint32_t op(std::uint32_t node) const { return op_[node]; }
    std::uint32_t depth(std::uint32_t node) const { return depth_flags_[node] >> 5; }
    std::uint32_t flags(std::uint32_t node) const { return depth_flags_[node] & 31U; }
    bool has(std::uint32_t node, NodeFlag flag) const { return (depth_flags_[node] & flag) != 0; }
    void set(std::uint32_t node, NodeFlag flag) { depth_flags_[node] |= flag; }
    void clear(std::uint32_t node, NodeFlag flag) { depth_flags_[node] &= ~static_cast<std::uint32_t>(flag); }
    std::uint32_t region(std::uint32_t node) const { return with_regions_ ? region_[node] : 0; }
    void set_region(std::uint32_t node, std::uint32_t region) {
        if (with_regions_) region_[node] = region;
    }
    Word* state(std::uint32_t node) { return state_.row(node); }
    const Word* state(std::uint32_t node) const { return state_.row(node); }
    const Chunks<Word>& states() const { return state_; }  // of all nodes, or of the first ones

    // The nodes from `begin` on whose columns lie one after another.
    NodeRange run_from(std::uint32_t begin) const {
        return {begin, static_cast<std::uint32_t>(std::min(size(), parent_.chunk_end(begin)))};
    }
    const std::uint32_t* ops(std::uint32_t begin) const { return op_.row(begin); }

    // Calls `visit(node, parent, flags, region)` for some nodes, until it returns false; flags and region are
    // references. It reads the columns forwards. Needs regions.
    template <class Visit>
    bool each_node(NodeRange range, Visit&& visit) {
        for (std::uint32_t node = range.begin; node < range.end;) {
            const std::uint32_t end = std::min(range.end, run_from(node).end);
            const std::uint32_t* parent = parent_.row(node);
            std::uint32_t* flags = depth_flags_.row(node);
            std::uint32_t* region = region_.row(node);
            for (; node < end; ++node, ++parent, ++flags, ++region)
                if (!visit(node, *parent, *flags, *region)) return false;
        }
        return true;
    }

    // The operators from the root to a node.
    std::vector<std::uint32_t> path(std::uint32_t node) const {
        std::vector<std::uint32_t> ops;
        for (; parent_[node] != kNone; node = parent_[node]) ops.push_back(op_[node]);
        return {ops.rbegin(), ops.rend()};
    }

private:
    Chunks<std::uint32_t, 1> parent_, op_, depth_flags_, region_;
    Chunks<Word> state_;
    bool with_regions_;
};

}  // namespace widthwise
