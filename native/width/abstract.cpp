// Abstract states: what the levels above the regions see of a state.
#include <algorithm>
#include <bit>
#include <utility>

#include "width/search.hpp"

namespace widthwise {

void Search::mark_features(std::size_t level, std::size_t from) {
    const Abstraction& abstraction = levels_[level];
    if (abstraction.function) std::fill(touches_.begin(), touches_.end(), 1);
    functions_ = functions_ || abstraction.function;
    for (std::size_t feature = from; feature < abstraction.literals.size(); ++feature) {
        const std::uint32_t atom = abstraction.literals[feature] >> 1;
        for (const std::uint32_t rank : operators_->touching(atom))
            touches_[rank] = 1, quiet_[rank] = Goal::kAlways;
        set_bit(feature_atoms_.data(), atom);
        places_.push_back({level_begin_[level] * 64 + feature,
                           std::exchange(place_of_[atom], static_cast<std::uint32_t>(places_.size()))});
    }
    for (std::size_t rank = 0; rank < operators_->count() && !operators_->all_plain(); ++rank)
        if (!operators_->plain(rank)) touches_[rank] = 1;
}

void Search::project(const Word* state, std::size_t level, Word* out) const {
    const Abstraction& abstraction = levels_[level];
    if (abstraction.function) {
        out[0] = abstraction.function(state);
        return;
    }
    std::fill_n(out, abstraction.word_count(), 0);
    for (std::size_t feature = 0; feature < abstraction.literals.size(); ++feature) {
        const std::uint32_t literal = abstraction.literals[feature];
        if (test_bit(state, literal >> 1) != ((literal & 1U) != 0)) set_bit(out, feature);
    }
}

void Search::project_all(const Word* state, std::vector<Word>& out) const {
    out.resize(level_begin_.back());
    for (std::size_t level = 0; level < levels_.size(); ++level)
        project(state, level, out.data() + level_begin_[level]);
}

// The abstract state after a step from a region: that of the region, except for the atoms that changed.
void Search::project_change(const Region& region, const Word* state) {
    abstract_scratch_ = region.abstract;
    const Word* root = tree_.state(region.root);
    for (std::size_t word = 0; word < feature_atoms_.size(); ++word)
        for (Word rest = (state[word] ^ root[word]) & feature_atoms_[word]; rest != 0; rest &= rest - 1)
            for (std::uint32_t place =
                     place_of_[word * 64 + static_cast<std::size_t>(std::countr_zero(rest))];
                 place != kNone; place = places_[place].next)
                flip_bit(abstract_scratch_.data(), places_[place].bit);
}

std::size_t Search::changed_level(const Region& region, const Word* state) {
    if (functions_)
        project_all(state, abstract_scratch_);
    else
        project_change(region, state);
    for (std::size_t level = 0; level < levels_.size(); ++level) {
        const auto begin = static_cast<std::ptrdiff_t>(level_begin_[level]);
        const auto end = static_cast<std::ptrdiff_t>(level_begin_[level + 1]);
        if (!std::equal(abstract_scratch_.begin() + begin, abstract_scratch_.begin() + end,
                        region.abstract.begin() + begin))
            return level;
    }
    return levels_.size();
}

std::span<const Word> Search::abstract_of(std::uint32_t region, std::size_t level) const {
    return {regions_[region]->abstract.data() + level_begin_[level],
            level_begin_[level + 1] - level_begin_[level]};
}

}  // namespace widthwise
