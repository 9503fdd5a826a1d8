// The resumable width search over a grounded task.
//
// One tree, coloured by regions. A region is a connected part of the tree whose nodes share all abstract
// features of the levels above; it has a frontier and a novelty table of its own, and it is what `resume`
// works on: nodes of the region are expanded, in the order of its frontier, until something happens that the
// caller has to decide. A flat search is a search with no level above and one region.
//
// A node whose abstract state differs from its region's is an *entry*: it ends the region there. Its level is
// the highest one whose features changed. If the caller gave a novelty table for that level, an entry that is
// not novel there is pruned on the spot; any other stops the search, and the caller may open a region at it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "core/meter.hpp"
#include "core/task.hpp"
#include "novelty/novelty.hpp"
#include "state/event.hpp"
#include "state/goal.hpp"
#include "state/operators.hpp"
#include "state/tree.hpp"

namespace widthwise {

// The abstract features of one level: literals over atoms (atom * 2, or atom * 2 + 1 for "does not hold"), or
// any function of the state that names the abstract state by a number.
struct Abstraction {
    std::vector<std::uint32_t> literals;
    std::function<std::uint64_t(const Word*)> function;

    std::size_t word_count() const {
        return function ? 1 : std::max<std::size_t>(1, words_for(literals.size()));
    }
};

struct Region {
    std::uint32_t root = kNone;
    std::vector<Word> abstract;           // the abstract states of all levels, one after another
    std::vector<NodeRange> children;      // the nodes whose parent is in the region, its exits included
    std::unique_ptr<NoveltyTable> table;  // made when the region is begun; many never are
    std::vector<std::uint32_t> frontier;  // unused in a flat search, whose frontier is the tree itself
    std::size_t head = 0;
    std::uint32_t expanding = kNone;  // the node whose expansion was broken off
    std::size_t next_rank = 0;        // and the operator to continue with
    bool alive = true;                // false: its root is not novel at the level above any more
    bool split = false;               // nodes of it belong to other regions now
    bool woken = false;               // its nodes belonged to no region before
    bool replay = false;              // its table has to be rebuilt from the nodes it has
    std::uint32_t changed_from = 0;   // the first node that it lost since; its history before is the same
};

struct SearchOptions {
    std::uint32_t width = 1;  // of the lowest level; kAllFeatures: only duplicates are pruned
    bool depth_first = false;
    bool record_pruned = false;  // keep pruned nodes in the tree
    bool entry_in_table = true;  // an entry's tuples also count as seen in the region it was generated from
    std::uint64_t max_nodes = ~std::uint64_t{0};
    std::uint64_t seed = 0;  // of the random choices of feature discovery
    // Literals (atom * 2, or atom * 2 + 1 for "does not hold") of which a goal state has at least one; empty:
    // none is asked for. With what is to be kept as the goal, this is "one more goal".
    std::vector<std::uint32_t> one_of = {};
    std::vector<Word> first = {};  // the state of the root; empty: the task's first state
};

struct Restructuring {
    bool fresh_table = true;      // the table is empty; otherwise it is the one of the features so far
    bool rebuild_changed = true;  // new novelty tables for regions that lost nodes, not only for new regions
    bool wake = false;            // what is not novel is alive as well
};

// What discovery found: the pruned node and the literals its branch proposes (Algorithm 1).
struct Discovery {
    std::uint32_t node = kNone;
    std::vector<std::uint32_t> literals;
};

class Search {
public:
    Search(std::shared_ptr<const Operators> operators, std::shared_ptr<Meter> meter,
           std::vector<Abstraction> levels, const std::vector<std::uint32_t>& goal_pos,
           const std::vector<std::uint32_t>& goal_neg, SearchOptions options);

    Search(const Search&) = delete;
    Search& operator=(const Search&) = delete;
    ~Search();

    // Generates the root and opens region 0 at it. Stop::solved if the goal holds there, Stop::paused
    // otherwise.
    Event start();
    // Opens a region at an entry; kNone if the memory limit forbids it.
    std::uint32_t open_region(std::uint32_t node);
    // Prunes an entry that the caller finds without novelty at its level.
    void reject(std::uint32_t node);
    // Continues with a region. `tables`, one per level, may hold null pointers; it may be empty.
    Event resume(std::uint32_t region, std::span<NoveltyTable* const> tables, std::uint64_t pause_after);

    // The literals that a pruned node proposes as abstract features (Algorithm 1); none for other nodes.
    std::vector<std::uint32_t> candidates(std::uint32_t node) const;
    // Takes pruned nodes off the list, the last or a random one first, until one proposes something.
    std::optional<Discovery> discover(bool random);

    // Adds features to the lowest level above the regions and recolours the tree in place: no node is
    // generated. Regions in which a feature changes are split; what is not novel for `table` is left dormant.
    // Returns the living regions that have something to expand, in the order of their roots; nothing if the
    // memory limit forbids it.
    std::optional<std::vector<std::uint32_t>> restructure(std::span<const std::uint32_t> literals,
                                                          NoveltyTable& table, const Restructuring& how);

    const Tree& tree() const { return tree_; }
    // The state of any node, also of one that is not expanded yet.
    std::vector<Word> state_of(std::uint32_t node);
    const Operators& operators() const { return *operators_; }
    const Counters& counters() const { return counters_; }
    const Region& region(std::uint32_t index) const { return *regions_[index]; }
    std::size_t region_count() const { return regions_.size(); }
    std::size_t level_count() const { return levels_.size(); }
    const Abstraction& level(std::size_t index) const { return levels_[index]; }
    std::span<const Word> abstract_of(std::uint32_t region, std::size_t level) const;
    double seconds() const { return seconds_; }  // spent in `resume`
    std::size_t alive_count() const {
        return static_cast<std::size_t>(std::count_if(regions_.begin(), regions_.end(),
                                                      [](const auto& region) { return region->alive; }));
    }

private:
    template <class Table>
    class Expansion;
    Event resume_region(std::uint32_t index, std::span<NoveltyTable* const> tables,
                        std::uint64_t pause_after);
    bool next_to_expand(Region& region);
    // Whether nodes get their states when they are expanded, and not before.
    bool states_come_later() const;
    // Builds the states up to that of a node; false if the memory limit forbids it.
    bool build_states(std::uint32_t node);
    void project(const Word* state, std::size_t level, Word* out) const;
    void project_all(const Word* state, std::vector<Word>& out) const;
    void project_change(const Region& region, const Word* state);
    // The highest level whose features differ between a state and a region, or the number of levels.
    std::size_t changed_level(const Region& region, const Word* state);
    // Notes what the features of a level, from one of them on, mean for operators and atoms.
    void mark_features(std::size_t level, std::size_t from);
    std::unique_ptr<NoveltyTable> new_table();
    // Lists of nodes and regions, charged to the meter like everything else; false if the limit forbids them.
    template <class Item>
    bool append(std::vector<Item>& list, Item item);
    bool append_children(std::uint32_t region, NodeRange nodes);
    bool charge(std::size_t bytes);
    std::unique_ptr<Region> new_region(std::uint32_t root);
    // Puts the root into the table and the frontier.
    bool begin_region(Region& region);
    std::vector<std::uint32_t> find_entries(std::span<const std::uint32_t> literals, const Restructuring& how,
                                            bool first_only);
    bool judge_entries(const std::vector<std::uint32_t>& entries, NoveltyTable& table,
                       const Restructuring& how);
    bool collect_woken();
    template <class Table>
    bool recolour(std::uint32_t index, Table& table);
    template <class Table>
    bool remember(Table& table, const Word* before, std::uint32_t node);
    // Calls `visit` with a novelty table as what it is.
    template <class Visit>
    static auto with_table(NoveltyTable& table, Visit&& visit);
    std::uint64_t random_below(std::uint64_t bound);

    std::shared_ptr<const Operators> operators_;
    Expander expander_;
    std::shared_ptr<Meter> meter_;
    std::vector<Abstraction> levels_;
    std::vector<std::size_t>
        level_begin_;  // where a level's words begin in Region::abstract; one more at the end
    Goal goal_;
    SearchOptions options_;
    bool states_later_;
    Tree tree_;
    std::vector<std::unique_ptr<Region>> regions_;
    Counters counters_;
    double seconds_ = 0.0;
    std::size_t charged_ = 0;            // by `charge`
    std::vector<std::uint8_t> touches_;  // per rank: may change an abstract feature
    std::vector<std::uint8_t> quiet_;    // per rank: with so many open goals its pruned child is not needed
    // Where an atom is a feature: bits of Region::abstract, several in a chain.
    struct Place {
        std::size_t bit;
        std::uint32_t next;
    };
    bool functions_ = false;               // a level's features are a function
    std::vector<Word> feature_atoms_;      // all of them, as a set
    std::vector<std::uint32_t> place_of_;  // per atom its first place, or kNone
    std::vector<Place> places_;
    std::vector<std::uint32_t> pruned_nodes_;
    std::vector<Word> scratch_, abstract_scratch_;
    std::vector<NodeRange> ranges_scratch_;
    std::uint64_t random_state_;
    std::uint32_t region_index_ = 0;  // the region being resumed
};

template <class Item>
bool Search::append(std::vector<Item>& list, Item item) {
    if (list.size() == list.capacity()) {
        const std::size_t more = std::max<std::size_t>(8, list.capacity() / 2);
        if (!charge(more * sizeof(Item))) return false;
        list.reserve(list.capacity() + more);
    }
    list.push_back(item);
    return true;
}

template <class Visit>
auto Search::with_table(NoveltyTable& table, Visit&& visit) {
    if (auto* atoms = dynamic_cast<AtomTable*>(&table)) return visit(*atoms);
    if (auto* pairs = dynamic_cast<PairTable*>(&table)) return visit(*pairs);
    if (auto* states = dynamic_cast<StateTable*>(&table)) return visit(*states);
    if (auto* tuples = dynamic_cast<TupleTable<std::uint64_t>*>(&table)) return visit(*tuples);
    return visit(static_cast<TupleTable<WideKey>&>(table));
}

template <class Table>
bool Search::remember(Table& table, const Word* before, std::uint32_t node) {
    const Word* state = tree_.state(node);
    if constexpr (std::is_same_v<Table, StateTable>)
        return !table.novel(before, state) || table.insert_row(node);
    else
        return table.insert(before, state);
}

}  // namespace widthwise
