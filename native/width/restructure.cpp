// RestructureTree of Algorithm 2, as recolouring: new features cut regions apart, nothing is generated again.
//
// A node is an entry if it was one before or if a new feature changes on the way from its parent. An entry
// whose abstract state is novel at the level above, judged in the order of generation, is the root of a
// living region; one that is not is dormant, and so are the nodes below it up to the next entry. Dormant
// nodes stay in the tree: a later feature may wake them.
//
// All of it is as if everything were computed again, but little is. What was novel stays novel, because new
// features only add tuples; so only entries that show a new feature can come to life, and only regions that
// lost or gained nodes have to replay their history into a new novelty table.
#include <algorithm>
#include <utility>

#include "width/search.hpp"

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
    // The new features come after the old ones, and this level after the others: abstract states only grow.
    const std::size_t before = abstraction.literals.size() - literals.size();
    mark_features(level, before);
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
    if (!collect_woken()) return std::nullopt;
    // New regions come after those their nodes are taken from.
    std::vector<std::uint32_t> open;
    for (std::uint32_t index = 0; index < regions_.size(); ++index) {
        Region& region = *regions_[index];
        const bool untouched = !region.table && region.children.empty() && !tree_.has(region.root, kExpanded);
        // If the search was exhausted, its table contains entries too, and only entries were lost, then the
        // table is still right. Most features that are found remove only pruned nodes below an entry from a
        // region.
        const bool dry = region.table && region.head == region.frontier.size() && region.expanding == kNone;
        if (region.replay && region.changed_from != 0 && dry && options_.entry_in_table) {
            region.replay = false;
            if (!with_table(*region.table, [&](auto& low) { return recolour(index, low); }))
                return std::nullopt;
            region.split = false;
            region.replay = region.changed_from != kNone;
        }
        if (region.replay && !untouched) {
            if (auto* atoms = dynamic_cast<AtomTable*>(region.table.get()))
                atoms->clear();
            else
                region.table = new_table();
            region.frontier.clear();
            region.head = 0;
            region.expanding = kNone;
            if (!begin_region(region)) return std::nullopt;
        }
        if ((region.split || region.replay) && !untouched &&
            !with_table(*region.table, [&](auto& low) { return recolour(index, low); }))
            return std::nullopt;
        region.split = region.woken = region.replay = false;
        if (region.alive && (untouched || region.head < region.frontier.size())) open.push_back(index);
    }
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

    // The first node that shows a single new feature is an entry in any case: its parent does not.
    const bool all = how.fresh_table || how.wake, old = all || !first_only;
    bool shown = first_only && shows(0);
    std::vector<std::uint32_t> entries;
    const auto consider = [&](std::uint32_t node) {
        if (tree_.has(node, kEntry)) {
            if (!all && (shown || !shows(node))) return;
            entries.push_back(node);
            shown = first_only;
            return;
        }
        if (!any_differs(atoms, tree_.state(node), tree_.state(tree_.parent(node)))) return;
        if (const std::uint32_t colour = tree_.region(node); colour != kNone) {
            Region& region = *regions_[colour];
            const bool has_children = tree_.has(node, kExpanded) || region.expanding == node;
            // A pruned node left no trace in its region's table; any other one did.
            const bool left_trace = !tree_.has(node, kPruned) && how.rebuild_changed;
            if ((has_children || left_trace) && !region.split && !region.replay) region.changed_from = node;
            region.split = region.split || has_children;
            region.replay = region.replay || left_trace;
        }
        if (tree_.has(node, kPruned)) tree_.set(node, kTraceless);
        tree_.set(node, kEntry);
        if (!all && first_only && (shown || !shows(node))) {
            tree_.set(node, kPruned);  // shows nothing that is new
            tree_.set_region(node, kNone);
            return;
        }
        shown = first_only;
        entries.push_back(node);
    };
    for (NodeRange run = tree_.run_from(1); run.begin < run.end; run = tree_.run_from(run.end)) {
        look(*meter_, 0);
        const std::uint32_t* ops = tree_.ops(run.begin);
        const std::uint8_t* flips = may_flip.data();
        for (std::uint32_t node = run.begin; node < run.end; ++node, ++ops) {
            // Few operators flip a feature: four nodes at a time are passed over.
            while (!old && run.end - node > 4 &&
                   !(flips[ops[0]] | flips[ops[1]] | flips[ops[2]] | flips[ops[3]]))
                node += 4, ops += 4;
            if (flips[*ops] || (old && tree_.has(node, kEntry))) consider(node);
        }
    }
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
        const std::uint32_t index = tree_.region(node);  // the one it is the root of, or was a node of
        Region* own = index != kNone && regions_[index]->root == node ? regions_[index].get() : nullptr;
        const bool novel = table.novel(nullptr, now);
        if (novel && !table.insert(nullptr, now)) return false;
        if (!novel && !how.wake && !(own && own->alive)) {
            if (own) own->split = true;
            tree_.set(node, kPruned);
            tree_.set_region(node, kNone);
            continue;
        }
        tree_.clear(node, kPruned);
        if (own) {
            own->alive = true;
            continue;
        }
        auto region = new_region(node);
        if (!region) return false;
        region->abstract = abstract_scratch_;
        region->replay = true;
        region->woken = index == kNone;
        tree_.set_region(node, static_cast<std::uint32_t>(regions_.size()));
        regions_.push_back(std::move(region));
    }
    return true;
}

// Gives regions their nodes that belonged to no region before.
bool Search::collect_woken() {
    std::uint32_t first = kNone;
    for (const auto& region : regions_)
        if (region->woken) first = std::min(first, region->root);
    if (first == kNone) return true;
    const auto visit = [&](std::uint32_t node, std::uint32_t parent, std::uint32_t& flags,
                           std::uint32_t& colour) {
        look(*meter_, node);
        const std::uint32_t owner = tree_.region(parent);
        if (owner == kNone || !regions_[owner]->woken) return true;
        if ((flags & kEntry) == 0) colour = owner;
        return append_children(owner, {node, node + 1});
    };
    return tree_.each_node({first, static_cast<std::uint32_t>(tree_.size())}, visit);
}

// Hands nodes of a region that are below a new entry over to the region that begins there, if one does, and
// rebuilds the novelty table if necessary. A parent comes before its children, so one pass in the order
// of generation does it. Without a new table, notes the first lost node whose tuples are in the old one.
template <class Table>
bool Search::recolour(std::uint32_t index, Table& table) {
    Region& region = *regions_[index];
    ranges_scratch_.clear();
    ranges_scratch_.swap(region.children);
    // Nothing was different before the first node that left: there kept is kept, and pruned is pruned.
    const std::uint32_t same_until = tree_.region(region.root) == index ? region.changed_from : 0;
    std::uint32_t first_lost = kNone;
    const auto repeat = [&](std::uint32_t node, std::uint32_t parent, std::uint32_t flags, std::uint32_t) {
        look(*meter_, node);
        if ((flags & kEntry) != 0)
            return !options_.entry_in_table || remember(table, tree_.state(parent), node);
        return (flags & kPruned) != 0 || (remember(table, tree_.state(parent), node) &&
                                          ((flags & kExpanded) != 0 || append(region.frontier, node)));
    };
    for (NodeRange range : ranges_scratch_) {
        if (range.begin < same_until) {
            const NodeRange same{range.begin, std::min(range.end, same_until)};
            if (region.replay && !tree_.each_node(same, repeat)) return false;
            if (!append_children(index, same)) return false;
            range.begin = same.end;
        }
        std::uint32_t parent = kNone, owner = kNone, begin = range.begin;
        const Word* before = nullptr;
        const auto visit = [&](std::uint32_t node, std::uint32_t above, std::uint32_t& flags,
                               std::uint32_t& colour) {
            look(*meter_, node);
            if (above != parent) {
                parent = above;
                before = tree_.state(parent);
                if (const std::uint32_t now = tree_.region(parent); now != owner) {
                    if (!append_children(owner, {begin, node})) return false;
                    owner = now;
                    begin = node;
                }
            }
            const NodeFlag no_trace = (flags & kEntry) != 0 ? kTraceless : kPruned;
            if (owner != index && first_lost == kNone && (flags & no_trace) == 0) first_lost = node;
            const bool replay = owner == index && region.replay;
            if ((flags & kEntry) != 0) {
                if (!replay || !options_.entry_in_table) return true;
                flags &= ~static_cast<std::uint32_t>(kTraceless);
                if (!table.novel(before, tree_.state(node))) {
                    flags |= kTraceless;
                    return true;
                }
                return remember(table, before, node);
            }
            colour = owner;
            if (!replay) return true;
            if (!table.novel(before, tree_.state(node))) {
                flags |= kPruned;
                return true;
            }
            flags &= ~static_cast<std::uint32_t>(kPruned);
            return remember(table, before, node) &&
                   ((flags & kExpanded) != 0 || append(region.frontier, node));
        };
        if (!tree_.each_node(range, visit) || !append_children(owner, {begin, range.end})) return false;
    }
    if (!region.replay) region.changed_from = first_lost;
    return true;
}

}  // namespace widthwise
