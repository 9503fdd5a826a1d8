#include "search/relaxed.hpp"

#include <algorithm>

namespace widthwise {

std::unique_ptr<Relaxed> Relaxed::make(const Task& task, std::span<const std::uint32_t> goal_pos,
                                       std::span<const std::uint32_t> goal_neg, Meter& meter) {
    const std::size_t bytes = estimate(task);
    if (!meter.charge(bytes)) return nullptr;
    std::unique_ptr<Relaxed> relaxed(new Relaxed(task, goal_pos, goal_neg, meter));
    relaxed->charged_ = bytes;
    return relaxed;
}

// A bound on what the columns below take: every condition twice (by operator and by fact), every effect once.
std::size_t Relaxed::estimate(const Task& task) {
    std::size_t conditions = task.pre_pos.item_count() + task.pre_neg.item_count() +
                             task.effect_pos.item_count() + task.effect_neg.item_count() +
                             3 * (task.axiom_pos.item_count() + task.axiom_neg.item_count());
    for (std::size_t op = 0; op < task.operator_count(); ++op)
        conditions += task.conditional[op].size() * (task.pre_pos[op].size() + task.pre_neg[op].size());
    const std::size_t effects = task.add.item_count() + task.del.item_count() + task.effect_atom.size();
    const std::size_t relaxed =
        task.operator_count() + task.effect_atom.size() + 4 * task.axiom_head.size() + task.atom_count;
    return (2 * conditions + effects + 10 * relaxed + 10 * std::size_t{task.atom_count}) *
           sizeof(std::uint32_t);
}

Relaxed::Relaxed(const Task& task, std::span<const std::uint32_t> goal_pos,
                 std::span<const std::uint32_t> goal_neg, Meter& meter)
    : task_(&task),
      meter_(&meter),
      goal_(goal_pos.begin(), goal_pos.end()),
      negation_of_(task.atom_count, kNever),
      fact_count_(task.atom_count) {
    name_negations(goal_neg);
    for (const std::uint32_t atom : goal_neg) goal_.push_back(negation_of_[atom]);
    std::sort(goal_.begin(), goal_.end());
    goal_.erase(std::unique(goal_.begin(), goal_.end()), goal_.end());
    add_operators();
    add_axioms();
    add_failures();
    index_preconditions();
    cost_.resize(fact_count_);
    supporter_.resize(fact_count_);
    fact_mark_.assign(fact_count_, 0);
    operator_mark_.assign(task.operator_count(), 0);
    relaxed_mark_.assign(operator_.size(), 0);
}

std::uint32_t Relaxed::negation(std::uint32_t atom) {
    if (negation_of_[atom] == kNever) {
        negation_of_[atom] = fact_count_++;
        negated_.push_back(atom);
    }
    return negation_of_[atom];
}

// Finds the atoms that somebody wants false, and those that must fail for a derived one to fail.
void Relaxed::name_negations(std::span<const std::uint32_t> goal_neg) {
    for (const std::uint32_t atom : goal_neg) negation(atom);
    for (const Rows* rows : {&task_->pre_neg, &task_->effect_neg, &task_->axiom_neg})
        for (std::size_t row = 0; row < rows->size(); ++row)
            for (const std::uint32_t atom : (*rows)[row]) negation(atom);
    std::vector<std::vector<std::uint32_t>> axioms_of(task_->has_axioms() ? task_->atom_count : 0);
    for (std::uint32_t axiom = 0; axiom < task_->axiom_head.size(); ++axiom)
        axioms_of[task_->axiom_head[axiom]].push_back(axiom);
    for (std::size_t next = 0; next < negated_.size() && task_->has_axioms(); ++next)
        for (const std::uint32_t axiom : axioms_of[negated_[next]])
            for (const std::uint32_t atom : task_->axiom_pos[axiom]) negation(atom);
}

void Relaxed::append_facts(std::span<const std::uint32_t> pos, std::span<const std::uint32_t> neg) {
    pre_row_.insert(pre_row_.end(), pos.begin(), pos.end());
    for (const std::uint32_t atom : neg) pre_row_.push_back(negation_of_[atom]);
}

// A relaxed operator from the two scratch rows; one without effects is of no use.
void Relaxed::add(std::uint32_t op) {
    std::sort(pre_row_.begin(), pre_row_.end());
    pre_row_.erase(std::unique(pre_row_.begin(), pre_row_.end()), pre_row_.end());
    if (!effect_row_.empty()) {
        if (pre_row_.empty()) free_.push_back(static_cast<std::uint32_t>(operator_.size()));
        pre_.append(pre_row_);
        effects_.append(effect_row_);
        operator_.push_back(op);
        closed_.push_back({static_cast<std::uint32_t>(pre_row_.size()), op == kNever ? 0U : 1U});
    }
    pre_row_.clear();
    effect_row_.clear();
}

void Relaxed::add_operators() {
    for (std::uint32_t op = 0; op < task_->operator_count(); ++op) {
        append_facts(task_->pre_pos[op], task_->pre_neg[op]);
        effect_row_.assign(task_->add[op].begin(), task_->add[op].end());
        for (const std::uint32_t atom : task_->del[op])
            if (negation_of_[atom] != kNever) effect_row_.push_back(negation_of_[atom]);
        add(op);
        for (const std::uint32_t effect : task_->conditional[op]) {
            const std::uint32_t atom = task_->effect_atom[effect];
            const std::uint32_t fact = task_->effect_adds[effect] ? atom : negation_of_[atom];
            if (fact == kNever) continue;
            append_facts(task_->pre_pos[op], task_->pre_neg[op]);
            append_facts(task_->effect_pos[effect], task_->effect_neg[effect]);
            effect_row_.push_back(fact);
            add(op);
        }
    }
}

void Relaxed::add_axioms() {
    for (std::uint32_t axiom = 0; axiom < task_->axiom_head.size(); ++axiom) {
        append_facts(task_->axiom_pos[axiom], task_->axiom_neg[axiom]);
        effect_row_.push_back(task_->axiom_head[axiom]);
        add(kNever);
    }
}

// A derived atom fails when all its axioms are broken.
void Relaxed::add_failures() {
    if (!task_->has_axioms()) return;
    std::vector<std::vector<std::uint32_t>> broken(task_->atom_count);  // facts, per derived atom
    std::vector<std::uint32_t> layer_of(task_->atom_count, kNever);
    for (std::uint32_t axiom = 0; axiom < task_->axiom_head.size(); ++axiom)
        layer_of[task_->axiom_head[axiom]] = task_->axiom_layer[axiom];
    for (std::uint32_t axiom = 0; axiom < task_->axiom_head.size(); ++axiom) {
        const std::uint32_t head = task_->axiom_head[axiom];
        if (negation_of_[head] == kNever) continue;
        const std::uint32_t fact = fact_count_++;
        broken[head].push_back(fact);
        for (const std::uint32_t atom : task_->axiom_pos[axiom]) {
            if (layer_of[atom] != task_->axiom_layer[axiom]) pre_row_.push_back(negation_of_[atom]);
            effect_row_.push_back(fact);
            add(kNever);
        }
        for (const std::uint32_t atom : task_->axiom_neg[axiom]) {
            pre_row_.push_back(atom);
            effect_row_.push_back(fact);
            add(kNever);
        }
    }
    for (const std::uint32_t atom : negated_) {
        if (!task_->derived[atom]) continue;
        pre_row_ = broken[atom];
        effect_row_.push_back(negation_of_[atom]);
        add(kNever);
    }
}

void Relaxed::index_preconditions() {
    std::vector<std::vector<std::uint32_t>> waiting(fact_count_);
    for (std::uint32_t relaxed = 0; relaxed < operator_.size(); ++relaxed)
        for (const std::uint32_t fact : pre_[relaxed]) waiting[fact].push_back(relaxed);
    for (const auto& row : waiting) waiting_.append(row);
    for (Rows* rows : {&pre_, &effects_, &waiting_}) rows->shrink();
}

void Relaxed::reach(std::uint32_t fact, std::uint32_t cost, std::uint32_t supporter) {
    if (cost_[fact] <= cost) return;
    cost_[fact] = cost;
    supporter_[fact] = supporter;
    if (queue_.size() <= cost) queue_.resize(cost + 1);
    queue_[cost].push_back(fact);
    last_bucket_ = std::max<std::size_t>(last_bucket_, cost);
}

void Relaxed::fire(std::uint32_t relaxed) {
    const std::uint32_t cost = std::min(open_[relaxed].cost, kMost);
    for (const std::uint32_t fact : effects_[relaxed]) reach(fact, cost, relaxed);
}

// Reaches facts by ascending cost until all of the goal is reached; false if that never happens.
bool Relaxed::explore(const Word* state) {
    open_ = closed_;
    work_ += open_.size() / 8;  // copied many at a time
    std::fill(cost_.begin(), cost_.end(), kNever);
    for (std::size_t bucket = 0; bucket <= last_bucket_ && bucket < queue_.size(); ++bucket)
        queue_[bucket].clear();
    last_bucket_ = 0;
    for_each_bit(state, words_for(task_->atom_count), [&](std::uint32_t atom) { reach(atom, 0, kNever); });
    for (const std::uint32_t atom : negated_)
        if (!test_bit(state, atom)) reach(negation_of_[atom], 0, kNever);
    for (const std::uint32_t relaxed : free_) fire(relaxed);

    ++stamp_;
    for (const std::uint32_t fact : goal_) fact_mark_[fact] = stamp_;
    std::size_t wanted = goal_.size();
    if (wanted == 0) return true;
    for (std::size_t cost = 0; cost <= last_bucket_ && cost < queue_.size(); ++cost) {
        for (std::size_t next = 0; next < queue_[cost].size(); ++next) {
            const std::uint32_t fact = queue_[cost][next];
            if (cost_[fact] < cost) continue;
            if (fact_mark_[fact] == stamp_ && --wanted == 0) return true;
            work_ += waiting_[fact].size();
            for (const std::uint32_t relaxed : waiting_[fact]) {
                Open& open = open_[relaxed];
                open.cost = std::min(open.cost + static_cast<std::uint32_t>(cost), kMost);
                if (--open.unmet == 0) fire(relaxed);
            }
        }
    }
    return false;
}

void Relaxed::extract() {
    ++stamp_;
    plan_.clear();
    relaxed_plan_.clear();
    stack_ = goal_;
    while (!stack_.empty()) {
        const std::uint32_t fact = stack_.back();
        stack_.pop_back();
        if (fact_mark_[fact] == stamp_) continue;
        fact_mark_[fact] = stamp_;
        const std::uint32_t relaxed = supporter_[fact];
        if (relaxed == kNever || relaxed_mark_[relaxed] == stamp_) continue;
        relaxed_mark_[relaxed] = stamp_;
        relaxed_plan_.push_back(relaxed);
        if (const std::uint32_t op = operator_[relaxed]; op != kNever && operator_mark_[op] != stamp_) {
            operator_mark_[op] = stamp_;
            plan_.push_back(op);
        }
        for (const std::uint32_t condition : pre_[relaxed]) stack_.push_back(condition);
    }
}

void Relaxed::aim(const Word* goal_pos, const Word* goal_neg) {
    goal_.clear();
    const std::size_t words = words_for(task_->atom_count);
    for_each_bit(goal_pos, words, [&](std::uint32_t atom) { goal_.push_back(atom); });
    for_each_bit(goal_neg, words, [&](std::uint32_t atom) {
        if (negation_of_[atom] != kNever) goal_.push_back(negation_of_[atom]);
    });
}

bool Relaxed::evaluate(const Word* state) {
    plan_.clear();
    relaxed_plan_.clear();
    if (!explore(state)) return false;
    extract();
    return true;
}

bool Relaxed::applies(const Word* state, std::uint32_t op) const {
    return std::all_of(task_->pre_pos[op].begin(), task_->pre_pos[op].end(),
                       [&](std::uint32_t atom) { return test_bit(state, atom); }) &&
           std::none_of(task_->pre_neg[op].begin(), task_->pre_neg[op].end(),
                        [&](std::uint32_t atom) { return test_bit(state, atom); });
}

void Relaxed::mark_effects(const Word* state, Word* made_true, Word* made_false) const {
    for (const std::uint32_t relaxed : relaxed_plan_) {
        for (const std::uint32_t fact : effects_[relaxed]) {
            if (fact < task_->atom_count) {
                if (!test_bit(state, fact)) set_bit(made_true, fact);
            } else if (const std::size_t index = fact - task_->atom_count; index < negated_.size()) {
                if (test_bit(state, negated_[index])) set_bit(made_false, negated_[index]);
            }
        }
    }
}

}  // namespace widthwise
