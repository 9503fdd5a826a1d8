#include "width/search.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace widthwise {

namespace {

// How many nodes pass between two looks at the clock.
constexpr std::uint64_t kPollEvery = 512;

// What a region costs beyond its data: the object of its table, and what the allocator adds to five small
// blocks.
constexpr std::size_t kRegionOverhead = 128;

}  // namespace

Search::Search(std::shared_ptr<const Operators> operators, std::shared_ptr<Meter> meter,
               std::vector<Abstraction> levels, const std::vector<std::uint32_t>& goal_pos,
               const std::vector<std::uint32_t>& goal_neg, SearchOptions options)
    : operators_(std::move(operators)),
      expander_(operators_),
      meter_(std::move(meter)),
      levels_(std::move(levels)),
      goal_(*operators_, goal_pos, goal_neg, options.one_of),
      options_(std::move(options)),
      states_later_(states_come_later()),
      tree_(*meter_, operators_->word_count(), !levels_.empty()),
      touches_(operators_->count(), 0),
      quiet_(operators_->count(), 0),
      feature_atoms_(operators_->word_count(), 0),
      place_of_(levels_.empty() ? 0 : operators_->task().atom_count, kNone),
      scratch_(operators_->word_count()),
      random_state_(options_.seed) {
    level_begin_.push_back(0);
    for (std::size_t level = 0; level < levels_.size(); ++level) {
        level_begin_.push_back(level_begin_.back() + levels_[level].word_count());
        mark_features(level, 0);
    }
    for (std::size_t rank = 0; rank < operators_->count(); ++rank)
        quiet_[rank] = touches_[rank] || options_.record_pruned ? Goal::kAlways : goal_.hopeless(rank);
}

Search::~Search() {
    meter_->release(charged_);
}

bool Search::charge(std::size_t bytes) {
    if (!meter_->charge(bytes)) return false;
    charged_ += bytes;
    return true;
}

bool Search::append_children(std::uint32_t index, NodeRange nodes) {
    if (index == kNone || nodes.begin == nodes.end) return true;
    std::vector<NodeRange>& children = regions_[index]->children;
    if (children.empty() || children.back().end != nodes.begin) return append(children, nodes);
    children.back().end = nodes.end;
    return true;
}

std::unique_ptr<Region> Search::new_region(std::uint32_t root) {
    if (!charge(sizeof(Region) + level_begin_.back() * sizeof(Word) + kRegionOverhead)) return nullptr;
    auto region = std::make_unique<Region>();
    region->root = root;
    return region;
}

std::unique_ptr<NoveltyTable> Search::new_table() {
    return make_table(*meter_, operators_->feature_bits(), options_.width, &tree_.states());
}

Event Search::halted(Halt halt) const {
    switch (halt) {
        case Halt::time:
            return {Stop::out_of_time};
        case Halt::memory:
            return {Stop::out_of_memory};
        default:
            return {Stop::interrupted};
    }
}

Event Search::start() {
    if (counters_.generated >= options_.max_nodes) return {Stop::out_of_nodes};
    const std::uint32_t root = tree_.add(kNone, kNone, 0);
    if (root == kNone) return {Stop::out_of_memory};
    Word* state = tree_.state(root);
    std::fill_n(state, operators_->word_count(), 0);
    std::copy(options_.first.begin(), options_.first.end(), state);
    if (options_.first.empty())
        for (const std::uint32_t atom : operators_->task().init) set_bit(state, atom);
    expander_.derive(state);
    ++counters_.generated;
    if (open_region(root) == kNone) return {Stop::out_of_memory};
    if (goal_.holds(state)) {
        tree_.set(root, kGoal);
        return {Stop::solved, root};
    }
    return {Stop::paused};
}

std::uint32_t Search::open_region(std::uint32_t node) {
    auto region = new_region(node);
    if (!region) return kNone;
    project_all(tree_.state(node), region->abstract);
    if (!begin_region(*region)) return kNone;
    const auto index = static_cast<std::uint32_t>(regions_.size());
    tree_.set_region(node, index);
    tree_.clear(node, kPruned);
    counters_.depth = std::max(counters_.depth, tree_.depth(node));
    regions_.push_back(std::move(region));
    return index;
}

bool Search::begin_region(Region& region) {
    if (!region.table) region.table = new_table();
    if (!region.table) return false;
    if (!with_table(*region.table, [&](auto& table) { return remember(table, nullptr, region.root); }))
        return false;
    if (tree_.has(region.root, kExpanded) || (levels_.empty() && !options_.depth_first)) return true;
    return append(region.frontier, region.root);
}

void Search::reject(std::uint32_t node) {
    tree_.set(node, kPruned);
    ++counters_.pruned_entries;
}

// Moves on to the next node of the frontier. In a flat breadth-first search that is simply the next node of
// the tree.
bool Search::next_to_expand(Region& region) {
    if (options_.depth_first) {
        if (region.frontier.empty()) return false;
        region.expanding = region.frontier.back();
        region.frontier.pop_back();
    } else if (!levels_.empty()) {
        if (region.head == region.frontier.size()) return false;
        region.expanding = region.frontier[region.head++];
    } else {
        while (region.head < tree_.size() && tree_.has(static_cast<std::uint32_t>(region.head), kPruned))
            ++region.head;
        if (region.head == tree_.size()) return false;
        region.expanding = static_cast<std::uint32_t>(region.head++);
    }
    region.next_rank = 0;
    return true;
}

template <class Table>
Event Search::run(Region& region, Table& table, std::span<NoveltyTable* const> tables,
                  std::uint64_t pause_at) {
    constexpr bool whole_states = std::is_same_v<Table, StateTable>;
    constexpr bool asks_early = requires { Table::kBuildsChild; };
    const bool queued = !levels_.empty() || options_.depth_first;
    const std::size_t word_count = operators_->word_count();
    const std::uint64_t poll_every = asks_early || whole_states ? kPollEvery : 1;
    std::uint64_t next_poll = counters_.generated + poll_every;
    Event event{Stop::exhausted};

    while (region.expanding != kNone || next_to_expand(region)) {
        const std::uint32_t parent = region.expanding;
        if (states_later_ && !build_states(parent)) return {Stop::out_of_memory};
        const Word* state = tree_.state(parent);
        expander_.collect(state);
        const std::uint8_t open = goal_.open(state);
        bool broken_off = false;

        const auto generate = [&](std::size_t rank, bool asked) {
            const auto break_off = [&](Event why, std::size_t go_on_at) {
                region.next_rank = go_on_at;
                event = why;
                broken_off = true;
                return false;
            };
            if (counters_.generated >= pause_at)
                return break_off(
                    {counters_.generated >= options_.max_nodes ? Stop::out_of_nodes : Stop::paused}, rank);
            if (counters_.generated >= next_poll) {
                next_poll = counters_.generated + poll_every;
                if (const Halt halt = meter_->poll(); halt != Halt::none)
                    return break_off(halted(halt), rank);
            }

            const bool plain = operators_->plain(rank);
            Word* child = scratch_.data();
            bool built = false;
            bool novel;
            if constexpr (asks_early) {
                if (plain) {
                    novel = asked ||
                            table.novel_child(state, operators_->add(rank), operators_->del(rank), child);
                    built = Table::kBuildsChild;
                } else {
                    expander_.apply(state, rank, child);
                    built = true;
                    novel = table.novel(state, child);
                }
            } else {
                expander_.apply(state, rank, child);
                built = true;
                novel = table.novel(state, child);
            }
            if (!novel && quiet_[rank] <= open) {
                ++counters_.generated;
                ++counters_.pruned;
                return true;
            }

            if (!built) expander_.apply(state, rank, child);
            const bool solved = goal_.hopeless(rank) > open && goal_.holds(child);
            const std::size_t level = touches_[rank] ? changed_level(region, child) : levels_.size();
            const bool entry = level < levels_.size();
            if (!novel && !entry && !solved && !options_.record_pruned) {
                ++counters_.generated;
                ++counters_.pruned;
                return true;
            }

            // An entry without novelty above is no node of the tree unless somebody wants to see it.
            NoveltyTable* above = entry && level < tables.size() ? tables[level] : nullptr;
            const Word* now = entry ? abstract_scratch_.data() + level_begin_[level] : nullptr;
            const Word* before = entry ? region.abstract.data() + level_begin_[level] : nullptr;
            const bool dull = above && !solved && !above->novel(before, now);
            if (dull && !options_.record_pruned) {
                if (novel && options_.entry_in_table && !whole_states && !table.insert(state, child))
                    return break_off({Stop::out_of_memory}, rank);
                ++counters_.generated;
                ++counters_.pruned_entries;
                return true;
            }

            // From here on the child is a node of the tree.
            const std::uint32_t depth = tree_.depth(parent) + 1;
            const std::uint32_t op = operators_->operator_at(rank);
            const std::uint32_t node =
                states_later_ ? tree_.add<false>(parent, op, depth) : tree_.add(parent, op, depth);
            if (node == kNone) return break_off({Stop::out_of_memory}, rank);
            if (!states_later_) {
                Word* own = tree_.state(node);
                std::memcpy(own, child, word_count * sizeof(Word));
                child = own;
            }
            ++counters_.generated;
            tree_.set_region(node, entry && !solved ? kNone : region_index_);
            if (entry) tree_.set(node, kEntry);
            if (entry && !novel) tree_.set(node, kTraceless);
            if (solved) {
                tree_.set(node, kGoal);
                counters_.depth = std::max(counters_.depth, depth);
                return break_off({Stop::solved, node}, rank + 1);
            }
            if (novel && (!entry || options_.entry_in_table)) {
                bool kept;
                if constexpr (whole_states)
                    kept = table.insert_row(node);
                else
                    kept = table.insert(state, child);
                if (!kept) return break_off({Stop::out_of_memory}, rank + 1);
            }
            if (dull) {
                tree_.set(node, kPruned);
                ++counters_.pruned_entries;
                return true;
            }
            if (entry) {
                if (above && !above->insert(before, now)) return break_off({Stop::out_of_memory}, rank + 1);
                return break_off({Stop::entered, node, static_cast<std::uint32_t>(level)}, rank + 1);
            }
            if (novel) {
                counters_.depth = std::max(counters_.depth, depth);
                if (queued && !append(region.frontier, node))
                    return break_off({Stop::out_of_memory}, rank + 1);
            } else {
                tree_.set(node, kPruned);
                ++counters_.pruned;
                // Only a hierarchy discovers features from pruned nodes.
                if (!levels_.empty() && !append(pruned_nodes_, node))
                    return break_off({Stop::out_of_memory}, rank + 1);
            }
            return true;
        };

        // Most children are of no interest to anybody: not novel, and nothing that a goal or a level looks
        // at. They are only counted, and the counters are brought up to date when something else happens.
        std::uint64_t generated = counters_.generated;
        std::uint64_t checkpoint = std::min(pause_at, next_poll);
        const auto settle = [&] {
            counters_.pruned += generated - counters_.generated;
            counters_.generated = generated;
        };
        expander_.take(region.next_rank, [&](std::size_t rank) {
            bool asked = false;  // and found novel
            if constexpr (asks_early) {
                if (quiet_[rank] <= open && generated < checkpoint) {
                    asked = table.novel_child(state, operators_->add(rank), operators_->del(rank),
                                              scratch_.data());
                    if (!asked) {
                        ++generated;
                        return true;
                    }
                }
            }
            settle();
            const bool going = generate(rank, asked);
            generated = counters_.generated;
            checkpoint = std::min(pause_at, next_poll);
            return going;
        });
        settle();

        if (broken_off) return event;
        tree_.set(parent, kExpanded);
        ++counters_.expanded;
        region.expanding = kNone;
    }
    return event;
}

Event Search::resume(std::uint32_t index, std::span<NoveltyTable* const> tables, std::uint64_t pause_after) {
    const double start = meter_->seconds();
    const Event event = resume_region(index, tables, pause_after);
    seconds_ += meter_->seconds() - start;
    return event;
}

Event Search::resume_region(std::uint32_t index, std::span<NoveltyTable* const> tables,
                            std::uint64_t pause_after) {
    if (const Halt halt = meter_->poll(); halt != Halt::none) return halted(halt);
    Region& region = *regions_[index];
    if (!region.table && !begin_region(region)) return {Stop::out_of_memory};
    region_index_ = index;
    const std::uint64_t room = ~std::uint64_t{0} - counters_.generated;
    const std::uint64_t pause_at =
        std::min(counters_.generated + std::min(pause_after, room), options_.max_nodes);
    const auto first = static_cast<std::uint32_t>(tree_.size());
    const Event event =
        with_table(*region.table, [&](auto& table) { return run(region, table, tables, pause_at); });
    if (levels_.empty()) return event;
    const bool fits = append_children(index, {first, static_cast<std::uint32_t>(tree_.size())});
    return fits ? event : Event{Stop::out_of_memory};
}

}  // namespace widthwise
