#include "state/operators.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace widthwise {

namespace {

void look(Meter* meter, std::size_t step) {
    if (meter == nullptr || step % 1024 != 0) return;
    if (const Halt halt = meter->poll(); halt != Halt::none) throw Halted{halt};
}

// A bound on what building takes, the result included: vectors that grow have up to twice the room they need,
// and a vector per operator or atom has a head and a block of its own.
std::uint64_t building_bytes(const Task& task, bool complements) {
    const std::uint64_t conditions = task.pre_pos.item_count() + task.pre_neg.item_count();
    const std::uint64_t effects = task.add.item_count() + task.del.item_count();
    const std::uint64_t per_condition = PreconditionMasks::suit(task) ? 48 : 36;
    const std::uint64_t doubled = complements ? 2 : 1;  // every atom and effect has an opposite at most
    return 80 * std::uint64_t{task.operator_count()} + doubled * 80 * std::uint64_t{task.atom_count} +
           per_condition * conditions + doubled * 24 * effects;
}

std::uint64_t layout_of(const std::vector<std::uint32_t>& complements) {
    std::uint64_t hash = complements.size();
    for (const std::uint32_t atom : complements) hash = mix(hash * 31 + atom + 1);
    return hash | 1U;
}

// A small generator of our own, because the standard library's shuffles differ between implementations and
// the same seed must give the same order everywhere.
class SplitMix {
public:
    explicit SplitMix(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() {
        std::uint64_t value = (state_ += 0x9e3779b97f4a7c15ULL);
        value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
        value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
        return value ^ (value >> 31);
    }
    // Uniform below `bound`, by rejection.
    std::uint64_t below(std::uint64_t bound) {
        const std::uint64_t limit = ~std::uint64_t{0} - ~std::uint64_t{0} % bound;
        std::uint64_t value = next();
        while (value >= limit) value = next();
        return value % bound;
    }

private:
    std::uint64_t state_;
};

}  // namespace

Operators::Operators(std::shared_ptr<const Task> task, std::optional<std::uint64_t> seed, Meter* meter,
                     Forbidden forbidden, std::vector<std::uint32_t> complements)
    : task_(std::move(task)),
      complements_(std::move(complements)),
      layout_(complements_.empty() ? 0 : layout_of(complements_)),
      atom_words_(std::max<std::size_t>(1, words_for(task_->atom_count))),
      word_count_(atom_words_ + words_for(complements_.size())),
      forbidden_(std::move(forbidden)) {
    const Charge building(meter, building_bytes(*task_, !complements_.empty()));
    if (!complements_.empty()) {
        complement_of_.assign(task_->atom_count, kNoFeature);
        for (std::uint32_t index = 0; index < complements_.size(); ++index) {
            complement_of_[complements_[index]] = index;
            if (task_->derived[complements_[index]]) derived_complements_.push_back(index);
        }
    }
    const std::size_t count = task_->operator_count();
    order_.resize(count);
    std::iota(order_.begin(), order_.end(), 0U);
    if (seed) {
        SplitMix random(*seed);
        for (std::size_t last = count; last > 1; --last)
            std::swap(order_[last - 1], order_[random.below(last)]);
    }
    all_plain_ = !task_->has_axioms();  // also of a task without operators
    rank_.resize(count);
    for (std::uint32_t rank = 0; rank < count; ++rank) {
        const std::uint32_t op = order_[rank];
        rank_[op] = rank;
        look(meter, rank);
        append_effects(op);
        const bool plain = !task_->has_axioms() && task_->conditional[op].empty();
        plain_.push_back(plain ? 1 : 0);
        all_plain_ = all_plain_ && plain;
    }
    effects_.shrink();
    std::vector<std::vector<std::uint32_t>> touching(feature_bits());
    for (std::uint32_t rank = 0; rank < count; ++rank) {
        if (!plain_[rank]) continue;
        for (const std::uint32_t atom : add(rank)) touching[atom].push_back(rank);
        for (const std::uint32_t atom : del(rank)) touching[atom].push_back(rank);
    }
    for (const auto& ranks : touching) touching_.append(ranks);
    touching_.shrink();
    if (PreconditionMasks::suit(*task_))
        build_masks();
    else
        build_generator(meter);
}

// Appends what an operator adds and what it deletes. With complementary features, it adds those of the atoms
// it deletes and deletes those of the atoms it adds; what its conditional effects may change is noted.
void Operators::append_effects(std::uint32_t op) {
    if (complements_.empty()) {
        effects_.append(task_->add[op]);
        effects_.append(task_->del[op]);
        return;
    }
    std::vector<std::uint32_t> row;
    const auto append = [&](std::span<const std::uint32_t> atoms, std::span<const std::uint32_t> opposite) {
        row.assign(atoms.begin(), atoms.end());
        for (const std::uint32_t atom : opposite)
            if (complement_of_[atom] != kNoFeature)
                row.push_back(static_cast<std::uint32_t>(atom_words_ * 64) + complement_of_[atom]);
        effects_.append(row);
    };
    append(task_->add[op], task_->del[op]);
    append(task_->del[op], task_->add[op]);
    row.clear();
    for (const std::uint32_t effect : task_->conditional[op])
        if (const std::uint32_t index = complement_of_[task_->effect_atom[effect]]; index != kNoFeature)
            row.push_back(index);
    followed_.append(row);
}

// True for an operator that leaves every state as it is, such as driving from a place to the same place.
bool Operators::idle(std::uint32_t op) const {
    const auto within = [](std::span<const std::uint32_t> part, std::span<const std::uint32_t> whole) {
        return std::includes(whole.begin(), whole.end(), part.begin(), part.end());
    };
    return task_->conditional[op].empty() && within(task_->add[op], task_->pre_pos[op]) &&
           within(task_->del[op], task_->pre_neg[op]);
}

void Operators::build_masks() {
    std::vector<std::uint32_t> order = order_;
    for (std::uint32_t& op : order)
        if (idle(op)) op = PreconditionMasks::kNever;
    masks_.emplace(*task_, order);
}

void Operators::build_generator(Meter* meter) {
    const std::size_t atoms = task_->atom_count;
    std::vector<std::uint32_t> needed_by(atoms * 2, 0);
    for (std::size_t op = 0; op < order_.size(); ++op) {
        for (const std::uint32_t atom : task_->pre_pos[op]) ++needed_by[atom * 2];
        for (const std::uint32_t atom : task_->pre_neg[op]) ++needed_by[atom * 2 + 1];
    }
    std::vector<std::vector<std::uint32_t>> rest(order_.size());
    std::vector<std::vector<std::uint32_t>> watchers(atoms);
    std::vector<std::uint32_t> without;
    for (std::uint32_t rank = 0; rank < order_.size(); ++rank) {
        look(meter, rank);
        const std::uint32_t op = order_[rank];
        if (idle(op)) continue;
        const auto positive = task_->pre_pos[op];
        std::uint32_t watched = ~0U;
        for (const std::uint32_t atom : positive)
            if (watched == ~0U || needed_by[atom * 2] < needed_by[watched * 2]) watched = atom;
        for (const std::uint32_t atom : positive)
            if (atom != watched) rest[rank].push_back(atom * 2);
        for (const std::uint32_t atom : task_->pre_neg[op]) rest[rank].push_back(atom * 2 + 1);
        // Literals that many operators share come first, so that one test serves many.
        std::sort(rest[rank].begin(), rest[rank].end(), [&](std::uint32_t left, std::uint32_t right) {
            if (needed_by[left] != needed_by[right]) return needed_by[left] > needed_by[right];
            return left < right;
        });
        if (watched == ~0U)
            without.push_back(rank);
        else
            watchers[watched].push_back(rank);
    }
    const auto emit_group = [&](std::vector<std::uint32_t>& ranks) {
        std::sort(ranks.begin(), ranks.end(), [&](std::uint32_t left, std::uint32_t right) {
            if (rest[left] != rest[right]) return rest[left] < rest[right];
            return left < right;
        });
        emit(ranks, 0, rest);
    };
    watched_.assign(atom_words_, 0);
    steps_.push_back({0, 0});  // place 0 is never the target of a skip, so a skip of 0 can mark leaves
    for (std::uint32_t atom = 0; atom < atoms; ++atom) {
        look(meter, atom);
        begin_.push_back(static_cast<std::uint32_t>(steps_.size()));
        if (watchers[atom].empty()) continue;
        set_bit(watched_.data(), atom);
        emit_group(watchers[atom]);
    }
    free_begin_ = static_cast<std::uint32_t>(steps_.size());
    begin_.push_back(free_begin_);
    emit_group(without);
    steps_.shrink_to_fit();
}

// How many different positive literals the operators have at that depth; operators are sorted by their
// literals.
std::size_t Operators::fan_out(std::span<const std::uint32_t> ranks, std::size_t depth,
                               const std::vector<std::vector<std::uint32_t>>& rest) const {
    std::size_t branches = 0;
    std::uint32_t last = ~0U;
    for (const std::uint32_t rank : ranks) {
        const std::uint32_t literal = rest[rank][depth];
        if (literal & 1U) return 0;
        branches += literal != last ? 1 : 0;
        last = literal;
    }
    return branches;
}

void Operators::emit(std::span<const std::uint32_t> ranks, std::size_t depth,
                     const std::vector<std::vector<std::uint32_t>>& rest) {
    std::size_t start = 0;
    while (start < ranks.size() && rest[ranks[start]].size() == depth) steps_.push_back({ranks[start++], 0});
    ranks = ranks.subspan(start);
    // A fan looks at every word of the state, a list of tests at every branch: take what is less.
    std::optional<std::size_t> fan;
    if (const std::size_t branches = fan_out(ranks, depth, rest); branches > 3 * atom_words_ + 3) {
        fan = fans_.size();
        steps_.push_back({static_cast<std::uint32_t>(*fan), kFan});
        fans_.push_back({fan_words_.size(), fan_branches_.size(), 0});
        fan_words_.resize(fan_words_.size() + 2 * atom_words_, 0);
        fan_branches_.resize(fan_branches_.size() + branches + 1, 0);
    }
    std::size_t branch = 0;
    for (start = 0; start < ranks.size();) {
        const std::uint32_t literal = rest[ranks[start]][depth];
        std::size_t end = start + 1;
        while (end < ranks.size() && rest[ranks[end]][depth] == literal) ++end;
        const std::size_t step = steps_.size();
        if (fan) {
            set_bit(fan_words_.data() + fans_[*fan].mask, literal >> 1);
            fan_branches_[fans_[*fan].first + branch++] = static_cast<std::uint32_t>(step);
        } else {
            steps_.push_back({literal, 0});
        }
        emit(ranks.subspan(start, end - start), depth + 1, rest);
        if (!fan) steps_[step].skip = static_cast<std::uint32_t>(steps_.size());
        start = end;
    }
    if (fan) {
        fans_[*fan].end = static_cast<std::uint32_t>(steps_.size());
        fan_branches_[fans_[*fan].first + branch] = fans_[*fan].end;
        Word before = 0;
        Word* words = fan_words_.data() + fans_[*fan].mask;
        for (std::size_t word = 0; word < atom_words_; ++word) {
            words[atom_words_ + word] = before;
            before += static_cast<Word>(std::popcount(words[word]));
        }
    }
}

void Operators::walk(const Word* state, std::uint32_t begin, std::uint32_t end, Applicable& into) const {
    for (std::uint32_t place = begin; place < end;) {
        const Step step = steps_[place];
        if (step.skip == 0) {
            set_bit(into.ranks.data(), step.literal);
            set_bit(into.summary.data(), step.literal >> 6);
            ++place;
        } else if (step.skip == kFan) {
            const Fan fan = fans_[step.literal];
            const Word* words = fan_words_.data() + fan.mask;
            for (std::size_t word = 0; word < atom_words_; ++word) {
                for (Word bits = state[word] & words[word]; bits != 0; bits &= bits - 1) {
                    const Word below = (bits & (~bits + 1)) - 1;
                    const std::size_t branch = words[atom_words_ + word] +
                                               static_cast<std::size_t>(std::popcount(words[word] & below));
                    const std::uint32_t* begins = fan_branches_.data() + fan.first + branch;
                    walk(state, begins[0], begins[1], into);
                }
            }
            place = fan.end;
        } else {
            place = holds(state, step.literal) ? place + 1 : step.skip;
        }
    }
}

Applicable Operators::scratch() const {
    Applicable empty;
    empty.ranks.assign(words_for(count()) + 1, 0);
    empty.summary.assign(words_for(empty.ranks.size()), 0);
    return empty;
}

void Operators::collect(const Word* state, Applicable& into) const {
    if (masks_) {
        masks_->collect(state, into.ranks.data(), into.summary.data());
    } else {
        collect_by_tries(state, into);
    }
    if (!forbidden_.empty()) into.drop([&](std::size_t rank) { return forbidden(state, rank); });
}

void Operators::collect_by_tries(const Word* state, Applicable& into) const {
    if (into.collected) {
        std::fill(into.ranks.begin(), into.ranks.end(), 0);
        std::fill(into.summary.begin(), into.summary.end(), 0);
    }
    into.collected = true;
    for (std::size_t word = 0; word < atom_words_; ++word) {
        for (Word bits = state[word] & watched_[word]; bits != 0; bits &= bits - 1) {
            const std::size_t atom = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
            walk(state, begin_[atom], begin_[atom + 1], into);
        }
    }
    walk(state, free_begin_, static_cast<std::uint32_t>(steps_.size()), into);
}

void Operators::apply(const Word* state, std::size_t rank, Word* child) const {
    std::memcpy(child, state, word_count_ * sizeof(Word));
    for (const std::uint32_t atom : del(rank)) clear_bit(child, atom);
    const auto effects = task_->conditional[order_[rank]];
    const auto fires = [&](std::uint32_t effect) {
        for (const std::uint32_t atom : task_->effect_pos[effect])
            if (!test_bit(state, atom)) return false;
        for (const std::uint32_t atom : task_->effect_neg[effect])
            if (test_bit(state, atom)) return false;
        return true;
    };
    for (const std::uint32_t effect : effects)
        if (!task_->effect_adds[effect] && fires(effect)) clear_bit(child, task_->effect_atom[effect]);
    for (const std::uint32_t atom : add(rank)) set_bit(child, atom);
    for (const std::uint32_t effect : effects)
        if (task_->effect_adds[effect] && fires(effect)) set_bit(child, task_->effect_atom[effect]);
    if (!complements_.empty())
        for (const std::uint32_t index : followed_[rank]) follow(child, index);
}

std::size_t Operators::bytes() const {
    const std::size_t features = complements_.size() + derived_complements_.size() + complement_of_.size();
    return (order_.size() + rank_.size() + begin_.size() + features) * sizeof(std::uint32_t) +
           (complements_.empty() ? 0 : followed_.bytes()) + effects_.bytes() + touching_.bytes() +
           plain_.size() + steps_.size() * sizeof(Step) + fans_.size() * sizeof(Fan) +
           fan_words_.size() * sizeof(Word) + fan_branches_.size() * sizeof(std::uint32_t) +
           (watched_.size() + forbidden_.words.size()) * sizeof(Word) +
           forbidden_.rows.size() * sizeof(std::uint32_t) + (masks_ ? masks_->bytes() : 0);
}

}  // namespace widthwise
