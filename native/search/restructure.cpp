// RestructureTree of Algorithm 2, as recolouring: new features cut regions apart, nothing is generated again.
//
// Nodes are numbered in the order of generation, so one pass in that order sees every parent before its children and
// replays each region's history. A node is an entry if it was one before or if a new feature changes on the way from
// its parent. An entry whose abstract state is novel at the level above is the root of a region; one that is not is
// dormant, and so are the nodes below it up to the next entry. Dormant nodes stay in the tree: a later feature may
// wake them.
#include <algorithm>

#include "search/search.hpp"

namespace widthwise {

std::optional<std::vector<std::uint32_t>> Search::restructure(std::span<const std::uint32_t> literals,
                                                              NoveltyTable& table, bool rebuild_changed,
                                                              bool wake) {
    const std::size_t level = levels_.size() - 1;
    Abstraction& abstraction = levels_[level];
    abstraction.literals.insert(abstraction.literals.end(), literals.begin(), literals.end());
    level_begin_.back() = level_begin_[level] + abstraction.word_count();
    mark_touching(level);

    std::vector<std::uint32_t> new_atoms;
    for (const std::uint32_t literal : literals) new_atoms.push_back(literal >> 1);
    std::vector<std::uint8_t> may_flip(operators_->count(), 0);  // per operator
    for (const std::uint32_t atom : new_atoms)
        for (const std::uint32_t rank : operators_->touching(atom)) may_flip[operators_->operator_at(rank)] = 1;
    for (std::size_t rank = 0; rank < operators_->count() && !operators_->all_plain(); ++rank)
        if (!operators_->plain(rank)) may_flip[operators_->operator_at(rank)] = 1;

    // First look: where do new entries come up, and which regions lose a node that shaped their table?
    const auto node_count = static_cast<std::uint32_t>(tree_.size());
    std::vector<std::uint8_t> changed(regions_.size(), 0);
    for (std::uint32_t node = 1; node < node_count; ++node) {
        if (!may_flip[tree_.op(node)] || tree_.has(node, kEntry)) continue;
        const Word* state = tree_.state(node);
        const Word* before = tree_.state(tree_.parent(node));
        const bool flips = std::any_of(new_atoms.begin(), new_atoms.end(), [&](std::uint32_t atom) {
            return test_bit(state, atom) != test_bit(before, atom);
        });
        if (!flips) continue;
        const std::uint32_t region = tree_.region(node);
        if (region != kNone && !tree_.has(node, kPruned)) changed[region] = 1;
        tree_.set(node, kEntry);
        tree_.set_region(node, kNone);  // a root only if it turns out novel below
    }

    // Second look: colour, and replay the history of regions that are new or changed.
    std::vector<std::uint32_t> alive;
    std::vector<std::uint8_t> replay(regions_.size(), 0);
    const auto restart = [&](Region& region) {
        region.table = new_table();
        region.frontier.clear();
        region.head = 0;
        region.expanding = kNone;
        return region.table != nullptr;
    };
    const auto remember = [&](Region& region, const Word* before, std::uint32_t node) {
        if (auto* states = dynamic_cast<StateTable*>(region.table.get()))
            return !states->novel(before, tree_.state(node)) || states->insert_row(node);
        return region.table->insert(before, tree_.state(node));
    };
    for (std::uint32_t node = 0; node < node_count; ++node) {
        const std::uint32_t parent = tree_.parent(node);
        const bool entry = parent == kNone || tree_.has(node, kEntry);
        if (!entry) {
            const std::uint32_t index = tree_.region(parent);
            tree_.set_region(node, index);
            if (index == kNone || !replay[index]) continue;
            Region& region = *regions_[index];
            const Word* before = tree_.state(parent);
            if (!region.table->novel(before, tree_.state(node))) {
                tree_.set(node, kPruned);
                continue;
            }
            tree_.clear(node, kPruned);
            if (!remember(region, before, node)) return std::nullopt;
            if (!tree_.has(node, kExpanded)) region.frontier.push_back(node);
            continue;
        }
        if (parent != kNone && options_.entry_in_table) {
            const std::uint32_t above = tree_.region(parent);
            if (above != kNone && replay[above] && !remember(*regions_[above], tree_.state(parent), node))
                return std::nullopt;
        }
        project_all(tree_.state(node), abstract_scratch_);
        const Word* now = abstract_scratch_.data() + level_begin_[level];
        // The initial abstract state needs no novelty; it may have no tuple at all.
        if (parent != kNone && !wake && !table.novel(nullptr, now)) {
            tree_.set_region(node, kNone);
            tree_.set(node, kPruned);
            continue;
        }
        if (!table.insert(nullptr, now)) return std::nullopt;
        std::uint32_t index = tree_.region(node);
        if (index == kNone) {
            index = static_cast<std::uint32_t>(regions_.size());
            regions_.push_back(std::make_unique<Region>());
            regions_.back()->root = node;
            changed.push_back(1);
            replay.push_back(1);
        } else if (changed[index] && rebuild_changed) {
            replay[index] = 1;
        }
        Region& region = *regions_[index];
        region.abstract = abstract_scratch_;
        tree_.set_region(node, index);
        tree_.clear(node, kPruned);
        alive.push_back(index);
        if (!replay[index]) continue;
        if (!restart(region) || !remember(region, nullptr, node)) return std::nullopt;
        if (!tree_.has(node, kExpanded)) region.frontier.push_back(node);
    }
    return alive;
}

}  // namespace widthwise
