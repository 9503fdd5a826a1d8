#include "invert/inverse.hpp"

#include <algorithm>
#include <stdexcept>

#include "invert/pairs.hpp"
#include "invert/positive.hpp"

namespace widthwise {

namespace {

bool holds(std::span<const std::uint32_t> row, std::uint32_t atom) {
    return std::binary_search(row.begin(), row.end(), atom);
}

// Makes the operators of the inverse task, from one operator of the task after the other.
class Inverter {
public:
    Inverter(const Positive& task, Pairs& pairs)
        : task_(&task), pairs_(&pairs), excluded_(pairs.word_count()) {}

    // Looks at an operator. False: it can be in no plan, or wins nothing.
    bool look(std::size_t op) {
        const Word* before = pairs_->before(op);
        if (before == nullptr) return false;
        won_.clear();
        for (const std::uint32_t atom : task_->add[op])
            if (!holds(task_->pre[op], atom)) won_.push_back(atom);
        for (std::size_t word = 0; word < excluded_.size(); ++word) excluded_[word] = ~before[word];
        for (const std::uint32_t atom : task_->add[op]) clear_bit(excluded_.data(), atom);
        return !won_.empty();
    }
    // The memory that the operators made of it will take.
    std::uint64_t bytes(std::size_t op) const {
        const std::size_t size = 16 + task_->pre[op].size() + task_->del[op].size() + 2 * won_.size();
        return won_.size() * size * sizeof(std::uint32_t) + excluded_.size() * sizeof(Word);
    }
    // One operator for each atom that can be won, because conditions have no "or"; where several are wanted,
    // only the first of those applies.
    void append(std::size_t op, double cost, Task& task, Forbidden& forbidden,
                std::vector<std::uint32_t>& operator_of) {
        const auto row = static_cast<std::uint32_t>(forbidden.words.size() / excluded_.size());
        forbidden.words.insert(forbidden.words.end(), excluded_.begin(), excluded_.end());
        for (std::size_t place = 0; place < won_.size(); ++place) {
            task.pre_pos.append({&won_[place], 1});
            kept_.assign(won_.begin(), won_.begin() + static_cast<std::ptrdiff_t>(place));
            kept_.insert(kept_.end(), task_->del[op].begin(), task_->del[op].end());
            std::sort(kept_.begin(), kept_.end());
            task.pre_neg.append(kept_);
            task.add.append(task_->pre[op]);
            task.del.append(won_);
            task.cost.push_back(cost);
            task.conditional.append({});
            task.operator_schema.push_back(0);
            task.operator_args.append({});
            forbidden.rows.push_back(row);
            operator_of.push_back(static_cast<std::uint32_t>(op));
        }
    }

private:
    const Positive* task_;
    Pairs* pairs_;
    std::vector<Word> excluded_;
    std::vector<std::uint32_t> won_, kept_;
};

}  // namespace

std::unique_ptr<Inverse> invert(const Operators& operators, const Word* first,
                                std::span<const std::uint32_t> goal_pos,
                                std::span<const std::uint32_t> goal_neg, const InverseOptions& options,
                                Meter& meter) {
    const Task& given = operators.task();
    if (!operators.all_plain())
        throw std::invalid_argument("a task with conditional effects or axioms has no inverse");
    auto inverse = std::make_unique<Inverse>();
    const Positive task(given, first, goal_pos, goal_neg, meter);
    inverse->large = Pairs::bytes(task) > options.most_bytes;
    if (inverse->large) return inverse;
    Pairs pairs(task, meter);
    inverse->large = !pairs.find(options.most_words);
    if (inverse->large) return inverse;
    for (const std::uint32_t one : task.goal)
        for (const std::uint32_t other : task.goal)
            inverse->contradictory = inverse->contradictory || !pairs.together(one, other);
    if (inverse->contradictory) return inverse;

    Inverter inverter(task, pairs);
    const auto look = [&](std::size_t op) {
        if ((op & 255U) == 0)
            if (const Halt why = meter.poll(); why != Halt::none) throw Halted{why};
        return inverter.look(op);
    };
    std::uint64_t bytes = 64 * std::uint64_t{task.atom_count};
    for (std::size_t op = 0; op < given.operator_count(); ++op) {
        if (look(op)) bytes += inverter.bytes(op);
        inverse->large = bytes > options.most_bytes;
        if (inverse->large) return inverse;
    }
    inverse->task_bytes.emplace(&meter, bytes);
    auto made = std::make_shared<Task>();
    Forbidden forbidden;
    made->atom_count = task.atom_count;
    for (std::size_t op = 0; op < given.operator_count(); ++op)
        if (look(op)) inverter.append(op, given.cost[op], *made, forbidden, inverse->operator_of);
    for (std::uint32_t atom = 0; atom < task.atom_count; ++atom) {
        made->atom_predicate.push_back(atom);
        made->atom_args.append({});
        if (pairs.together(atom, atom) && !holds(task.first, atom)) made->goal_neg.push_back(atom);
    }
    made->derived.assign(task.atom_count, 0);
    made->init = task.goal;
    for (Rows* rows : {&made->pre_pos, &made->pre_neg, &made->add, &made->del}) rows->shrink();
    forbidden.words.shrink_to_fit();
    const std::uint64_t masks = forbidden.words.size() * sizeof(Word);
    inverse->operators =
        std::make_shared<const Operators>(std::move(made), options.seed, &meter, std::move(forbidden));
    // The masks are charged already.
    inverse->operator_bytes.emplace(&meter, inverse->operators->bytes() - masks);
    return inverse;
}

}  // namespace widthwise
