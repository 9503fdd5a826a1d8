// Algorithm 1 of the paper: atoms that a pruned branch proposes as abstract features. Where atoms have a
// complementary feature, that an atom became false may be proposed as well.
//
// The intuition: when a splitting feature changes, the next state is likely to be pruned, because everything
// else in it was seen before the change. So the atoms that a pruned node shares with its parent, and that no
// state of the branch before the parent had, are good candidates.
#include <algorithm>

#include "width/search.hpp"

namespace widthwise {

std::vector<std::uint32_t> Search::candidates(std::uint32_t node) const {
    if (!tree_.has(node, kPruned) || tree_.has(node, kEntry)) return {};
    const std::uint32_t parent = tree_.parent(node);
    // The branch begins where the region does. The pruned node must be at least two steps below its root.
    if (parent == kNone || tree_.has(parent, kEntry) || tree_.parent(parent) == kNone) return {};
    const std::size_t words = operators_->word_count();
    const Word* leaf = tree_.state(node);
    const Word* above = tree_.state(parent);
    std::vector<Word> found(words);
    bool differs = false;
    for (std::size_t word = 0; word < words; ++word) {
        found[word] = leaf[word] & above[word];
        differs = differs || found[word] != leaf[word];
    }
    if (!differs) return {};
    for (std::uint32_t ancestor = tree_.parent(parent);; ancestor = tree_.parent(ancestor)) {
        const Word* state = tree_.state(ancestor);
        Word left = 0;
        for (std::size_t word = 0; word < words; ++word) left |= found[word] &= ~state[word];
        if (left == 0) return {};
        if (tree_.has(ancestor, kEntry) || tree_.parent(ancestor) == kNone) break;
    }
    std::vector<std::uint32_t> literals;
    for_each_bit(found.data(), words,
                 [&](std::uint32_t bit) { literals.push_back(operators_->literal_of(bit)); });
    return literals;
}

std::uint64_t Search::random_below(std::uint64_t bound) {
    random_state_ += 0x9e3779b97f4a7c15ULL;
    return mix(random_state_) % bound;
}

std::optional<Discovery> Search::discover(bool random) {
    while (!pruned_nodes_.empty()) {
        if (random) std::swap(pruned_nodes_[random_below(pruned_nodes_.size())], pruned_nodes_.back());
        const std::uint32_t node = pruned_nodes_.back();
        pruned_nodes_.pop_back();
        std::vector<std::uint32_t> literals = candidates(node);
        if (!literals.empty()) return Discovery{node, std::move(literals)};
    }
    return std::nullopt;
}

}  // namespace widthwise
