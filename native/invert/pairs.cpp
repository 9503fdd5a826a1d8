#include "invert/pairs.hpp"

#include <algorithm>

namespace widthwise {

std::uint64_t Pairs::bytes(const Positive& task) {
    const std::uint64_t words = words_for(task.atom_count);
    return (words * (task.atom_count + 2) + task.atom_count + task.pre.size()) * sizeof(Word);
}

Pairs::Pairs(const Positive& task, Meter& meter)
    : task_(&task),
      meter_(&meter),
      word_count_(words_for(task.atom_count)),
      charge_(&meter, bytes(task)),
      rows_(word_count_ * task.atom_count),
      alone_(word_count_),
      before_(word_count_),
      grown_(task.atom_count),
      visited_(task.pre.size()) {
    for (const std::uint32_t atom : task.first) set_bit(alone_.data(), atom);
    for (const std::uint32_t atom : task.first)
        std::copy(alone_.begin(), alone_.end(),
                  rows_.begin() + static_cast<std::ptrdiff_t>(atom * word_count_));
}

const Word* Pairs::before(std::size_t op) {
    words_ += word_count_ * (task_->pre[op].size() + 1);
    before_ = alone_;
    for (const std::uint32_t atom : task_->pre[op]) {
        const Word* row = with(atom);
        for (std::size_t word = 0; word < word_count_; ++word) before_[word] &= row[word];
        if (!test_bit(before_.data(), atom)) return nullptr;
    }
    for (const std::uint32_t atom : task_->pre[op])
        if (!test_bit(before_.data(), atom)) return nullptr;
    return before_.data();
}

bool Pairs::find(std::uint64_t most_words) {
    do {
        found_ = false;
        for (std::size_t op = 0; op < task_->pre.size(); ++op) {
            if ((++visits_ & 255U) == 0)
                if (const Halt why = meter_->poll(); why != Halt::none) throw Halted{why};
            if (words_ > most_words) return false;
            visit(op);
        }
    } while (found_);
    return true;
}

void Pairs::visit(std::size_t op) {
    const auto pre = task_->pre[op];
    const auto stale = [&](std::uint32_t atom) { return grown_[atom] >= visited_[op]; };
    // An operator without preconditions may follow any atom, and is always looked at.
    if (!pre.empty() && visited_[op] != 0 && std::none_of(pre.begin(), pre.end(), stale)) return;
    visited_[op] = visits_;
    if (before(op) == nullptr) return;
    Word* after = before_.data();
    for (const std::uint32_t atom : task_->del[op]) clear_bit(after, atom);
    for (const std::uint32_t atom : task_->add[op]) set_bit(after, atom);
    for (const std::uint32_t atom : task_->add[op]) join(atom, after);
}

// These can hold together with the atom, from now on.
void Pairs::join(std::uint32_t atom, const Word* others) {
    Word* row = rows_.data() + atom * word_count_;
    words_ += word_count_;
    for (std::size_t word = 0; word < word_count_; ++word) {
        const Word fresh = others[word] & ~row[word];
        if (fresh == 0) continue;
        found_ = true;
        words_ += static_cast<std::uint64_t>(std::popcount(fresh));
        grown_[atom] = visits_;
        set_bit(alone_.data(), atom);
        row[word] |= fresh;
        for (Word rest = fresh; rest != 0; rest &= rest - 1) {
            const std::size_t other = word * 64 + static_cast<std::size_t>(std::countr_zero(rest));
            set_bit(rows_.data() + other * word_count_, atom);
            grown_[other] = visits_;
        }
    }
}

}  // namespace widthwise
