#include "relaxed/landmarks.hpp"

#include <algorithm>
#include <utility>

namespace widthwise {

namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 26;  // for the sets of all facts
constexpr std::size_t kMostSteps = 30'000'000;            // words looked at: about a tenth of a second
constexpr std::size_t kPollEvery = 1 << 16;

}  // namespace

// The sets of landmarks of all facts, worked out to a fixpoint.
class Landmarks::Finder {
public:
    Finder(const Rules& rules, const Rows& waiting)
        : rules_(rules),
          waiting_(waiting),
          words_(words_for(rules.fact_count())),
          sets_(words_ * rules.fact_count()),
          reached_(rules.fact_count(), 0),
          given_(rules.fact_count(), 0),
          unmet_(rules.size()),
          queued_(rules.size(), 0),
          todo_(rules.size()),
          joint_(words_) {}

    static std::size_t bytes(const Rules& rules) {
        return words_for(rules.fact_count()) * rules.fact_count() * sizeof(Word) + 8 * rules.fact_count() +
               16 * rules.size();
    }

    // False if that takes too long.
    bool run(const Word* state, std::uint32_t atom_count, Meter& meter) {
        for (std::uint32_t rule = 0; rule < rules_.size(); ++rule) {
            unmet_[rule] = static_cast<std::uint32_t>(rules_.pre(rule).size());
            if (unmet_[rule] == 0) queue(rule);
        }
        for (std::uint32_t atom = 0; atom < atom_count; ++atom) {
            const bool holds = test_bit(state, atom);
            const std::uint32_t fact = holds ? atom : rules_.negation_of(atom);
            if (fact != Rules::kNever) give(fact);
        }
        for (std::size_t polled = 0; todo_count_ > 0;) {
            const std::uint32_t rule = todo_[head_];
            head_ = head_ + 1 == todo_.size() ? 0 : head_ + 1;
            --todo_count_;
            queued_[rule] = 0;
            apply(rule);
            if (steps_ > kMostSteps) return false;
            if (steps_ - polled < kPollEvery) continue;
            polled = steps_;
            if (meter.poll() != Halt::none) return false;
        }
        return true;
    }
    std::size_t steps() const { return steps_; }

    bool reached(std::uint32_t fact) const { return reached_[fact] != 0; }
    bool given(std::uint32_t fact) const { return given_[fact] != 0; }
    const Word* set(std::uint32_t fact) const { return sets_.data() + fact * words_; }
    std::size_t words() const { return words_; }
    // Whether a rule can be the first that makes a fact: all it needs can be had without that fact.
    bool makes_first(std::uint32_t rule, std::uint32_t fact) const {
        const auto conditions = rules_.pre(rule);
        return std::all_of(conditions.begin(), conditions.end(), [&](std::uint32_t condition) {
            return reached(condition) && !test_bit(set(condition), fact);
        });
    }

private:
    void give(std::uint32_t fact) {
        given_[fact] = reached_[fact] = 1;
        set_bit(sets_.data() + fact * words_, fact);
        for (const std::uint32_t rule : waiting_[fact])
            if (--unmet_[rule] == 0) queue(rule);
    }
    void queue(std::uint32_t rule) {
        if (queued_[rule] != 0) return;
        queued_[rule] = 1;
        todo_[(head_ + todo_count_++) % todo_.size()] = rule;
    }
    void apply(std::uint32_t rule) {
        const auto conditions = rules_.pre(rule);
        std::fill(joint_.begin(), joint_.end(), 0);
        for (const std::uint32_t condition : conditions)
            for (std::size_t word = 0; word < words_; ++word) joint_[word] |= set(condition)[word];
        steps_ += words_ * (conditions.size() + rules_.effects(rule).size() + 1);
        for (const std::uint32_t fact : rules_.effects(rule)) {
            if (given(fact)) continue;
            Word* own = sets_.data() + fact * words_;
            const bool first = reached_[fact] == 0;
            bool changed = first;
            reached_[fact] = 1;
            for (std::size_t word = 0; word < words_; ++word) {
                const Word joint = joint_[word] | (word == fact >> 6 ? Word{1} << (fact & 63) : 0);
                const Word kept = first ? joint : own[word] & joint;
                changed = changed || kept != own[word];
                own[word] = kept;
            }
            if (!changed) continue;
            steps_ += waiting_[fact].size();
            for (const std::uint32_t next : waiting_[fact]) {
                if (first) --unmet_[next];
                if (unmet_[next] == 0) queue(next);
            }
        }
    }

    const Rules& rules_;
    const Rows& waiting_;
    std::size_t words_;
    std::vector<Word> sets_;                     // per fact
    std::vector<std::uint8_t> reached_, given_;  // per fact: at all; from the beginning
    std::vector<std::uint32_t> unmet_;           // per rule: conditions that were not reached yet
    std::vector<std::uint8_t> queued_;
    std::vector<std::uint32_t> todo_;  // a ring: no rule is in it twice
    std::size_t head_ = 0, todo_count_ = 0;
    std::vector<Word> joint_;
    std::size_t steps_ = 0;
};

std::unique_ptr<Landmarks> Landmarks::find(const Rules& rules, const Rows& waiting,
                                           std::span<const std::uint32_t> goal, const Word* state,
                                           std::uint32_t atom_count, Meter& meter) {
    const std::size_t bytes = Finder::bytes(rules);
    if (bytes > kMostBytes || !meter.charge(bytes)) return nullptr;
    std::unique_ptr<Landmarks> made(new Landmarks(meter));
    made->charged_ = bytes;
    Finder finder(rules, waiting);
    if (!finder.run(state, atom_count, meter)) return nullptr;
    made->work_ = finder.steps() / 8;  // many words at a time

    std::vector<Word> all(finder.words());
    for (const std::uint32_t fact : goal) {
        if (!finder.reached(fact)) return nullptr;
        for (std::size_t word = 0; word < all.size(); ++word) all[word] |= finder.set(fact)[word];
    }
    // What only the rules know, that an axiom is broken, no state shows.
    std::vector<std::uint32_t> number(rules.fact_count(), Rules::kNever);
    const std::size_t shown = atom_count + rules.negated().size();
    for_each_bit(all.data(), all.size(), [&](std::uint32_t fact) {
        if (fact >= shown) return;
        number[fact] = static_cast<std::uint32_t>(made->size());
        made->atoms_.push_back(fact < atom_count ? fact : rules.negated()[fact - atom_count]);
        made->holds_.push_back(fact < atom_count ? 1 : 0);
    });
    const std::size_t words = made->words();
    made->goal_.assign(words, 0);
    for (const std::uint32_t fact : goal) set_bit(made->goal_.data(), number[fact]);
    made->now_.resize(words);
    made->wanted_.resize(words);

    // The conditions that the first makers of each landmark have in common.
    std::vector<std::vector<std::uint32_t>> common(made->size());
    std::vector<std::uint8_t> met(made->size(), 0);
    std::vector<std::uint32_t> conditions;
    for (std::uint32_t rule = 0; rule < rules.size(); ++rule) {
        conditions.clear();
        for (const std::uint32_t fact : rules.pre(rule))
            if (number[fact] != Rules::kNever) conditions.push_back(number[fact]);
        for (const std::uint32_t fact : rules.effects(rule)) {
            const std::uint32_t mine = number[fact];
            if (mine == Rules::kNever || finder.given(fact) || !finder.makes_first(rule, fact)) continue;
            if (std::exchange(met[mine], 1) == 0) {
                common[mine] = conditions;
            } else {
                std::erase_if(common[mine], [&](std::uint32_t one) {
                    return std::find(conditions.begin(), conditions.end(), one) == conditions.end();
                });
            }
        }
    }
    for (const auto& row : common) made->necessary_.append(row);
    made->necessary_.shrink();
    const std::size_t lasting = made->necessary_.bytes() + 3 * words * sizeof(Word) + 8 * made->size();
    made->charged_ = std::min(bytes, lasting);
    meter.release(bytes - made->charged_);
    return made;
}

std::uint32_t Landmarks::follow(const Word* state, const Word* before, Word* shown) {
    std::fill(now_.begin(), now_.end(), 0);
    for (std::size_t index = 0; index < atoms_.size(); ++index)
        if (test_bit(state, atoms_[index]) == (holds_[index] != 0)) set_bit(now_.data(), index);
    wanted_ = goal_;
    int count = static_cast<int>(size());
    for (std::size_t word = 0; word < now_.size(); ++word) {
        shown[word] = now_[word] | (before ? before[word] : 0);
        count -= std::popcount(shown[word]);
    }
    for (std::size_t index = 0; index < atoms_.size(); ++index) {
        if (test_bit(shown, index)) continue;
        for (const std::uint32_t one : necessary_[index]) set_bit(wanted_.data(), one);
        work_ += necessary_[index].size();
    }
    work_ += atoms_.size();
    for (std::size_t word = 0; word < now_.size(); ++word)
        count += std::popcount(shown[word] & ~now_[word] & wanted_[word]);
    return static_cast<std::uint32_t>(count);
}

}  // namespace widthwise
