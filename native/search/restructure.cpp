// RestructureTree of Algorithm 2, as recolouring: new features cut regions apart, nothing is generated again.
//
// A node is an entry if it was one before or if a new feature changes on the way from its parent. An entry
// whose abstract state is novel at the level above, judged in the order of generation, is the root of a
// living region; one that is not is dormant, and so are the nodes below it up to the next entry. Dormant
// nodes stay in the tree: a later feature may wake them.
//
// All of it is as if everything were done anew, but little is. What was novel stays novel, because new
// features only add tuples; so only entries that show a new feature can come to life, and only regions that
// lost or gained nodes have to replay their history into a new novelty table.
#include <algorithm>
#include <utility>

#include "search/search.hpp"

namespace widthwise {

namespace {

// Looks at the meter now and then. The tree is half recoloured when this throws: the search is over.
void look(Meter& meter, std::size_t step) {
    if (step % 4096 != 0) return;
    if (const Halt halt = meter.poll(); halt != Halt::none) throw Halted{halt};
}

bool any_differs(std::span<const std::uint32_t> atoms, const Word* left, const Word* right) {
    return std::any_of(atoms.begin(), atoms.end(),
                       [&](std::uint32_t atom) { return test_bit(left, atom) != test_bit(right, atom); });
}

}  // namespace

std::optional<std::vector<std::uint32_t>> Search::restructure(std::span<const std::uint32_t> literals,
                                                              NoveltyTable& table, const Restructuring& how) {
    const std::size_t level = levels_.size() - 1;
    Abstraction& abstraction = levels_[level];
    abstraction.literals.insert(abstraction.literals.end(), literals.begin(), literals.end());
    level_begin_.back() = level_begin_[level] + abstraction.word_count();
    mark_touching(level);
    // The new features come after the old ones, and this level after the others: abstract states only grow.
    const std::size_t before = abstraction.literals.size() - literals.size();
    for (const auto& region : regions_) {
        region->abstract.resize(level_begin_.back(), 0);
        const Word* state = tree_.state(region->root);
        for (std::size_t index = 0; index < literals.size(); ++index)
            if (test_bit(state, literals[index] >> 1) != ((literals[index] & 1U) != 0))
                set_bit(region->abstract.data() + level_begin_[level], before + index);
    }

    // With single features, one entry that shows a new one leaves nothing novel for the others.
    const bool first_only = literals.size() == 1 && dynamic_cast<AtomTable*>(&table) != nullptr;
    const std::vector<std::uint32_t> entries = find_entries(literals, how, first_only);
    if (!judge_entries(entries, table, how)) return std::nullopt;
    if (!replay_history()) return std::nullopt;

    std::vector<std::uint32_t> open;
    for (std::uint32_t index = 0; index < regions_.size(); ++index)
        if (regions_[index]->alive && regions_[index]->head < regions_[index]->frontier.size())
            open.push_back(index);
    std::sort(open.begin(), open.end(), [&](std::uint32_t left, std::uint32_t right) {
        return regions_[left]->root < regions_[right]->root;
    });
    return open;
}

// Marks new entries and returns, in order, all entries whose life has to be judged: the new ones and those
// that show a new feature, or every entry if the table is fresh or all are to be woken.
std::vector<std::uint32_t> Search::find_entries(std::span<const std::uint32_t> literals,
                                                const Restructuring& how, bool first_only) {
    const auto shows = [&](std::uint32_t node) {
        return std::any_of(literals.begin(), literals.end(), [&](std::uint32_t literal) {
            return test_bit(tree_.state(node), literal >> 1) != ((literal & 1U) != 0);
        });
    };
    std::vector<std::uint32_t> atoms;
    for (const std::uint32_t literal : literals) atoms.push_back(literal >> 1);
    std::vector<std::uint8_t> may_flip(operators_->count(), 0);  // per operator
    for (const std::uint32_t atom : atoms)
        for (const std::uint32_t rank : operators_->touching(atom))
            may_flip[operators_->operator_at(rank)] = 1;
    for (std::size_t rank = 0; rank < operators_->count() && !operators_->all_plain(); ++rank)
        if (!operators_->plain(rank)) may_flip[operators_->operator_at(rank)] = 1;

    const bool all = how.fresh_table || how.wake;
    bool shown = first_only && shows(0);
    std::vector<std::uint32_t> entries;
    tree_.each_node(1, [&](std::uint32_t node, std::uint32_t parent, std::uint32_t op, std::uint32_t& flags,
                           std::uint32_t& region) {
        look(*meter_, node);
        if ((flags & kEntry) != 0) {
            if (all) {
                entries.push_back(node);
            } else if (!shown && shows(node)) {
                entries.push_back(node);
                shown = first_only;
            }
            return true;
        }
        if (!may_flip[op] || !any_differs(atoms, tree_.state(node), tree_.state(parent))) return true;
        // A pruned node left no trace in its region's table; any other one did.
        if (region != kNone && (flags & kPruned) == 0 && how.rebuild_changed && !regions_[region]->replay) {
            regions_[region]->replay = true;
            regions_[region]->changed_from = node;
        }
        flags |= kEntry;
        region = kNone;
        recolour_from_ = std::min(recolour_from_, node);
        if (!all && first_only && (shown || !shows(node))) {
            flags |= kPruned;  // shows nothing that is new
            return true;
        }
        shown = first_only;
        entries.push_back(node);
        return true;
    });
    return entries;
}

// Decides which entries are roots of living regions, in the order of generation.
bool Search::judge_entries(const std::vector<std::uint32_t>& entries, NoveltyTable& table,
                           const Restructuring& how) {
    const std::size_t level = levels_.size() - 1;
    if (how.fresh_table)
        for (const auto& region : regions_) region->alive = region->root == 0;
    // The first region is alive whatever its features, and it may show the new one.
    if (!table.insert(nullptr, regions_[0]->abstract.data() + level_begin_[level])) return false;
    std::size_t judged = 0;
    for (const std::uint32_t node : entries) {
        look(*meter_, ++judged);
        project_all(tree_.state(node), abstract_scratch_);
        const Word* now = abstract_scratch_.data() + level_begin_[level];
        const std::uint32_t index = tree_.region(node);
        const bool novel = table.novel(nullptr, now);
        if (novel && !table.insert(nullptr, now)) return false;
        if (!novel && !how.wake && (index == kNone || !regions_[index]->alive)) {
            tree_.set(node, kPruned);
            tree_.set_region(node, kNone);
            continue;
        }
        tree_.clear(node, kPruned);
        if (index != kNone) {
            regions_[index]->alive = true;
            continue;
        }
        auto region = new_region(node);
        if (!region) return false;
        region->abstract = abstract_scratch_;
        region->replay = true;
        tree_.set_region(node, static_cast<std::uint32_t>(regions_.size()));
        regions_.push_back(std::move(region));
    }
    return true;
}

// Colours the nodes between entries, and fills new novelty tables with the history of regions that need one.
// A parent comes before its children, so one pass in the order of generation does it.
bool Search::replay_history() {
    std::uint32_t first = std::exchange(recolour_from_, kNone);
    std::size_t replayed = 0;
    for (const auto& region : regions_) {
        if (!region->replay) continue;
        look(*meter_, ++replayed);
        first = std::min(first, region->root);
        region->table = new_table();
        region->frontier.clear();
        region->head = 0;
        region->expanding = kNone;
        if (!region->table || !remember(*region, nullptr, region->root)) return false;
        if (!tree_.has(region->root, kExpanded) && !append(region->frontier, region->root)) return false;
    }
    const bool fits =
        tree_.each_node(std::max(first, 1U), [&](std::uint32_t node, std::uint32_t parent, std::uint32_t,
                                                 std::uint32_t& flags, std::uint32_t& colour) {
            look(*meter_, node);
            const std::uint32_t index = tree_.region(parent);
            Region* region = index == kNone || !regions_[index]->replay ? nullptr : regions_[index].get();
            if ((flags & kEntry) != 0)
                return !region || !options_.entry_in_table || remember(*region, tree_.state(parent), node);
            colour = index;
            if (!region) return true;
            if (node < region->changed_from) {  // nothing was different then: kept is kept, pruned is pruned
                if ((flags & kPruned) != 0) return true;
            } else if (!region->table->novel(tree_.state(parent), tree_.state(node))) {
                flags |= kPruned;
                return true;
            }
            flags &= ~static_cast<std::uint32_t>(kPruned);
            return remember(*region, tree_.state(parent), node) &&
                   ((flags & kExpanded) != 0 || append(region->frontier, node));
        });
    if (!fits) return false;
    for (const auto& region : regions_) region->replay = false;
    return true;
}

bool Search::remember(Region& region, const Word* before, std::uint32_t node) {
    if (options_.width != kAllFeatures) return region.table->insert(before, tree_.state(node));
    auto& states = static_cast<StateTable&>(*region.table);
    return !states.novel(before, tree_.state(node)) || states.insert_row(node);
}

}  // namespace widthwise
