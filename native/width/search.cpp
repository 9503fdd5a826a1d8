#include "width/search.hpp"

#include <algorithm>
#include <utility>

#include "width/expansion.hpp"

namespace widthwise {

namespace {

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

Event Search::resume(std::uint32_t index, std::span<NoveltyTable* const> tables, std::uint64_t pause_after) {
    const double start = meter_->seconds();
    const Event event = resume_region(index, tables, pause_after);
    seconds_ += meter_->seconds() - start;
    return event;
}

Event Search::resume_region(std::uint32_t index, std::span<NoveltyTable* const> tables,
                            std::uint64_t pause_after) {
    if (const Halt halt = meter_->poll(); halt != Halt::none) return {stop_of(halt)};
    Region& region = *regions_[index];
    if (!region.table && !begin_region(region)) return {Stop::out_of_memory};
    region_index_ = index;
    const std::uint64_t room = ~std::uint64_t{0} - counters_.generated;
    const std::uint64_t pause_at =
        std::min(counters_.generated + std::min(pause_after, room), options_.max_nodes);
    const auto first = static_cast<std::uint32_t>(tree_.size());
    const Event event = with_table(
        *region.table, [&](auto& table) { return Expansion(*this, region, table, tables, pause_at).run(); });
    if (levels_.empty()) return event;
    const bool fits = append_children(index, {first, static_cast<std::uint32_t>(tree_.size())});
    return fits ? event : Event{Stop::out_of_memory};
}

}  // namespace widthwise
