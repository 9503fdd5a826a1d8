// One call of `Search::resume`: expands nodes of a region until something happens that the caller has to
// decide.
//
// Most children are not novel, and neither a goal nor a level looks at what they change: `pass_over_most`
// only counts them. Every other child passes these steps, and may leave after each of them:
//
//   limit_reached    may another node be generated?
//   judge_novelty    does the child show a new tuple?
//   judge_change     is it a goal state, and which level sees a change?
//   store            makes it a node of the tree
//   note_tuples      its tuples count as seen in the region
//   announce_goal, announce_entry, enqueue
//                    hand it to the caller, or to the frontier or the list of pruned nodes
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>

#include "width/search.hpp"

namespace widthwise {

template <class Table>
class Search::Expansion {
public:
    Expansion(Search& search, Region& region, Table& table, std::span<NoveltyTable* const> tables,
              std::uint64_t pause_at)
        : search_(search),
          operators_(*search.operators_),
          region_(region),
          table_(table),
          tables_(tables),
          pause_at_(pause_at),
          next_poll_(search.counters_.generated + kPollEvery) {}

    Event run() {
        while (region_.expanding != kNone || search_.next_to_expand(region_)) {
            parent_ = region_.expanding;
            if (search_.states_later_ && !search_.build_states(parent_)) return {Stop::out_of_memory};
            expand();
            if (broken_off_) return *broken_off_;
            search_.tree_.set(parent_, kExpanded);
            ++search_.counters_.expanded;
            region_.expanding = kNone;
        }
        return {Stop::exhausted};
    }

private:
    static constexpr bool kWholeStates = std::is_same_v<Table, StateTable>;
    // Whether the table answers for the child of a plain operator that is not built yet.
    static constexpr bool kAsksEarly = requires { Table::kBuildsChild; };
    // How many nodes pass between two looks at the clock; each costs much where tuples are enumerated.
    static constexpr std::uint64_t kPollEvery = kAsksEarly || kWholeStates ? 512 : 1;

    struct Child {
        std::size_t rank;  // of the operator that led to it
        Word* state;
        bool built = false;
        bool novel = false;
        bool solved = false;
        std::size_t level = 0;  // the highest level whose features it changes
        bool entry = false;     // there is such a level
        // Of an entry: the table of its level, if the caller gave one, and the level's features of the region
        // and of the child.
        NoveltyTable* above = nullptr;
        const Word* before = nullptr;
        const Word* now = nullptr;
        bool dull = false;  // not novel above
    };

    void expand() {
        state_ = search_.tree_.state(parent_);
        open_ = search_.goal_.open(state_);
        search_.expander_.collect(state_);
        if constexpr (kAsksEarly)
            pass_over_most();
        else
            search_.expander_.take(region_.next_rank,
                                   [&](std::size_t rank) { return generate(rank, false); });
    }

    // Generates the children, but only counts those that a look at the table settles. This is the inner loop:
    // what it needs is kept in local variables, and the counters are brought up to date when a child is
    // generated.
    void pass_over_most() {
        Search& search = search_;
        Table& table = table_;
        const Operators& operators = operators_;
        const Word* const state = state_;
        const std::uint8_t open = open_;
        std::uint64_t generated = search.counters_.generated;
        std::uint64_t checkpoint = std::min(pause_at_, next_poll_);
        const auto settle = [&] {
            search.counters_.pruned += generated - search.counters_.generated;
            search.counters_.generated = generated;
        };
        search.expander_.take(region_.next_rank, [&](std::size_t rank) {
            bool known_novel = false;
            if (search.quiet_[rank] <= open && generated < checkpoint) {
                known_novel = table.novel_child(state, operators.add(rank), operators.del(rank),
                                                search.scratch_.data());
                if (!known_novel) {
                    ++generated;
                    return true;
                }
            }
            settle();
            const bool going = generate_apart(rank, known_novel);
            generated = search.counters_.generated;
            checkpoint = std::min(pause_at_, next_poll_);
            return going;
        });
        settle();
    }

    // The same as `generate`, but never part of the inner loop, which needs the registers.
    [[gnu::noinline]] bool generate_apart(std::size_t rank, bool known_novel) {
        return generate(rank, known_novel);
    }

    // Generates the child of an operator; false if the expansion is broken off.
    bool generate(std::size_t rank, bool known_novel) {
        if (const auto limit = limit_reached()) return break_off(*limit, rank);
        const bool keep_pruned = search_.options_.record_pruned;
        Child child{rank, search_.scratch_.data()};
        judge_novelty(child, known_novel);
        if (!child.novel && search_.quiet_[rank] <= open_) return count_pruned();
        judge_change(child);
        if (!child.novel && !child.entry && !child.solved && !keep_pruned) return count_pruned();
        if (child.dull && !keep_pruned) return count_dull(child);

        const std::uint32_t node = store(child);
        if (node == kNone) return break_off({Stop::out_of_memory}, rank);
        if (child.solved) return announce_goal(child, node);
        if (!note_tuples(child, node)) return break_off({Stop::out_of_memory}, rank + 1);
        return child.entry ? announce_entry(child, node) : enqueue(child, node);
    }

    std::optional<Event> limit_reached() {
        const std::uint64_t generated = search_.counters_.generated;
        if (generated >= pause_at_)
            return Event{generated >= search_.options_.max_nodes ? Stop::out_of_nodes : Stop::paused};
        if (generated < next_poll_) return std::nullopt;
        next_poll_ = generated + kPollEvery;
        if (const Halt halt = search_.meter_->poll(); halt != Halt::none) return Event{stop_of(halt)};
        return std::nullopt;
    }

    bool novel_child(std::size_t rank, Word* child) {
        return table_.novel_child(state_, operators_.add(rank), operators_.del(rank), child);
    }

    void judge_novelty(Child& child, bool known_novel) {
        if constexpr (kAsksEarly) {
            if (operators_.plain(child.rank)) {
                child.novel = known_novel || novel_child(child.rank, child.state);
                child.built = Table::kBuildsChild;
                return;
            }
        }
        build(child);
        child.novel = table_.novel(state_, child.state);
    }

    void build(Child& child) {
        if (child.built) return;
        search_.expander_.apply(state_, child.rank, child.state);
        child.built = true;
    }

    void judge_change(Child& child) {
        build(child);
        const std::size_t level_count = search_.levels_.size();
        child.solved = search_.goal_.hopeless(child.rank) > open_ && search_.goal_.holds(child.state);
        child.level =
            search_.touches_[child.rank] ? search_.changed_level(region_, child.state) : level_count;
        child.entry = child.level < level_count;
        if (!child.entry) return;
        const std::size_t begin = search_.level_begin_[child.level];
        child.above = child.level < tables_.size() ? tables_[child.level] : nullptr;
        child.before = region_.abstract.data() + begin;
        child.now = search_.abstract_scratch_.data() + begin;
        child.dull = child.above && !child.solved && !child.above->novel(child.before, child.now);
    }

    bool count_pruned() {
        ++search_.counters_.generated;
        ++search_.counters_.pruned;
        return true;
    }

    // Counts an entry that is not novel above and whose node the caller does not want to see.
    bool count_dull(const Child& child) {
        if (child.novel && search_.options_.entry_in_table && !kWholeStates &&
            !table_.insert(state_, child.state))
            return break_off({Stop::out_of_memory}, child.rank);
        ++search_.counters_.generated;
        ++search_.counters_.pruned_entries;
        return true;
    }

    // Makes the child a node of the tree; kNone if the memory limit forbids it.
    std::uint32_t store(Child& child) {
        Tree& tree = search_.tree_;
        const std::uint32_t depth = tree.depth(parent_) + 1;
        const std::uint32_t op = operators_.operator_at(child.rank);
        const std::uint32_t node =
            search_.states_later_ ? tree.add<false>(parent_, op, depth) : tree.add(parent_, op, depth);
        if (node == kNone) return kNone;
        if (!search_.states_later_) {
            Word* own = tree.state(node);
            std::memcpy(own, child.state, operators_.word_count() * sizeof(Word));
            child.state = own;
        }
        ++search_.counters_.generated;
        tree.set_region(node, child.entry && !child.solved ? kNone : search_.region_index_);
        if (child.entry) tree.set(node, kEntry);
        if (child.entry && !child.novel) tree.set(node, kTraceless);
        return node;
    }

    bool announce_goal(const Child& child, std::uint32_t node) {
        search_.tree_.set(node, kGoal);
        reach_depth_of(node);
        return break_off({Stop::solved, node}, child.rank + 1);
    }

    bool note_tuples(const Child& child, std::uint32_t node) {
        if (!child.novel || (child.entry && !search_.options_.entry_in_table)) return true;
        if constexpr (kWholeStates)
            return table_.insert_row(node);
        else
            return table_.insert(state_, child.state);
    }

    bool announce_entry(const Child& child, std::uint32_t node) {
        if (child.dull) {
            search_.tree_.set(node, kPruned);
            ++search_.counters_.pruned_entries;
            return true;
        }
        const bool fits = !child.above || child.above->insert(child.before, child.now);
        const Event entered{Stop::entered, node, static_cast<std::uint32_t>(child.level)};
        return break_off(fits ? entered : Event{Stop::out_of_memory}, child.rank + 1);
    }

    // Puts a node into the frontier, or into the list of pruned nodes if it is not novel.
    bool enqueue(const Child& child, std::uint32_t node) {
        bool fits = true;
        if (child.novel) {
            reach_depth_of(node);
            const bool queued = !search_.levels_.empty() || search_.options_.depth_first;
            fits = !queued || search_.append(region_.frontier, node);
        } else {
            search_.tree_.set(node, kPruned);
            ++search_.counters_.pruned;
            // Only a hierarchy discovers features from pruned nodes.
            fits = search_.levels_.empty() || search_.append(search_.pruned_nodes_, node);
        }
        return fits || break_off({Stop::out_of_memory}, child.rank + 1);
    }

    void reach_depth_of(std::uint32_t node) {
        search_.counters_.depth = std::max(search_.counters_.depth, search_.tree_.depth(node));
    }

    bool break_off(Event why, std::size_t go_on_at) {
        region_.next_rank = go_on_at;
        broken_off_ = why;
        return false;
    }

    Search& search_;
    const Operators& operators_;
    Region& region_;
    Table& table_;
    std::span<NoveltyTable* const> tables_;
    std::uint64_t pause_at_, next_poll_;
    std::optional<Event> broken_off_;  // why the expansion of the parent was broken off
    std::uint32_t parent_ = kNone;     // the node that is expanded
    const Word* state_ = nullptr;      // its state
    std::uint8_t open_ = 0;            // its open goals, as `Goal` counts them
};

}  // namespace widthwise
