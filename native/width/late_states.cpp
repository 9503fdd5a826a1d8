// States that are built when their nodes are expanded.
//
// A flat breadth-first search expands the nodes in the order of their numbers and does not read a state
// before that. So the states of the first nodes are stored, and the others are computed from those of their
// parents when they are expanded. A wide task leaves most nodes on its frontier, and writing their states
// would take longer than everything else.
#include <algorithm>

#include "width/search.hpp"

namespace widthwise {

// Not where states are written as fast as they are made again; and tables of whole states and records of
// pruned nodes need all states at once.
bool Search::states_come_later() const {
    return operators_->word_count() > kFewWords && levels_.empty() && !options_.depth_first &&
           !options_.record_pruned && options_.width != kAllFeatures;
}

bool Search::build_states(std::uint32_t node) {
    for (std::size_t next = tree_.states().size(); next <= node; ++next) {
        Word* state = tree_.add_state();
        if (state == nullptr) return false;
        const auto child = static_cast<std::uint32_t>(next);
        expander_.apply(tree_.state(tree_.parent(child)), operators_->rank_of(tree_.op(child)), state);
    }
    return true;
}

std::vector<Word> Search::state_of(std::uint32_t node) {
    std::vector<Word> state(operators_->word_count());
    if (node < tree_.states().size())
        std::copy_n(tree_.state(node), state.size(), state.begin());
    else  // its parent has been expanded
        expander_.apply(tree_.state(tree_.parent(node)), operators_->rank_of(tree_.op(node)), state.data());
    return state;
}

}  // namespace widthwise
