#include "relaxed/rules.hpp"

#include <algorithm>
#include <utility>

namespace widthwise {

namespace {

// Rules with more conditions than that are not compared with others of fewer: they have too many subsets.
constexpr std::size_t kMostCompared = 5;
// So much is looked at to find them, at most: a large task is not to wait for it.
constexpr std::size_t kMostLooks = 4'000'000;

}  // namespace

// Every condition stands in a row of a rule and again in a row of a fact; a rule is numbered, counted,
// indexed and marked; an effect is listed twice and has a fact, a maker and a rule.
std::size_t Rules::estimate(const Task& task) {
    std::size_t conditions = task.pre_pos.item_count() + task.pre_neg.item_count() +
                             task.effect_pos.item_count() + task.effect_neg.item_count() +
                             3 * (task.axiom_pos.item_count() + task.axiom_neg.item_count());
    for (std::size_t op = 0; op < task.operator_count(); ++op)
        conditions += task.conditional[op].size() * (task.pre_pos[op].size() + task.pre_neg[op].size());
    const std::size_t effects = task.add.item_count() + task.del.item_count() + task.effect_atom.size() +
                                3 * (task.axiom_pos.item_count() + task.axiom_neg.item_count());
    const std::size_t rules =
        task.operator_count() + task.effect_atom.size() + 4 * task.axiom_head.size() + task.atom_count;
    return (2 * conditions + 10 * effects + 18 * rules + 10 * std::size_t{task.atom_count}) *
           sizeof(std::uint32_t);
}

Rules::Rules(const Task& task, std::span<const std::uint32_t> goal_neg)
    : negation_of_(task.atom_count, kNever),
      fact_count_(task.atom_count),
      task_(&task),
      by_pre_{Index(0, Hash{this}, Same{this}), Index(0, Hash{this}, Same{this})} {
    name_negations(goal_neg);
    add_operators();
    add_axioms();
    add_failures();
    simplify();
}

std::size_t Rules::bytes() const {
    const std::size_t numbers = negation_of_.capacity() + negated_.capacity() + cost_.capacity() +
                                maker_.capacity() + rule_of_.capacity();
    return pre_.bytes() + effects_.bytes() + numbers * sizeof(std::uint32_t);
}

std::size_t Rules::Hash::operator()(std::span<const std::uint32_t> row) const {
    std::uint64_t hash = row.size();
    for (const std::uint32_t item : row) {
        hash = (hash ^ item) * 0x9e3779b97f4a7c15ULL;
        hash ^= hash >> 29;
    }
    return static_cast<std::size_t>(hash);
}

std::uint32_t Rules::negation(std::uint32_t atom) {
    if (negation_of_[atom] == kNever) {
        negation_of_[atom] = fact_count_++;
        negated_.push_back(atom);
    }
    return negation_of_[atom];
}

// Finds the atoms that something requires to be false, and those that must fail for a derived one to fail.
void Rules::name_negations(std::span<const std::uint32_t> goal_neg) {
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

void Rules::append_facts(std::span<const std::uint32_t> pos, std::span<const std::uint32_t> neg) {
    pre_row_.insert(pre_row_.end(), pos.begin(), pos.end());
    for (const std::uint32_t atom : neg) pre_row_.push_back(negation_of_[atom]);
}

// Takes the effects in one scratch row under the conditions in the other.
void Rules::add(std::uint32_t maker) {
    std::sort(pre_row_.begin(), pre_row_.end());
    pre_row_.erase(std::unique(pre_row_.begin(), pre_row_.end()), pre_row_.end());
    if (!effect_row_.empty()) {
        const std::uint32_t cost = maker == kNever ? 0 : 1;
        const auto known = by_pre_[cost].find(std::span<const std::uint32_t>(pre_row_));
        auto rule = static_cast<std::uint32_t>(pre_.size());
        if (known != by_pre_[cost].end()) {
            rule = *known;
        } else {
            pre_.append(pre_row_);
            cost_.push_back(cost);
            by_pre_[cost].insert(rule);
        }
        for (const std::uint32_t fact : effect_row_) made_.push_back({rule, fact, maker});
    }
    pre_row_.clear();
    effect_row_.clear();
}

void Rules::add_operators() {
    for (std::uint32_t op = 0; op < task_->operator_count(); ++op) {
        append_facts(task_->pre_pos[op], task_->pre_neg[op]);
        effect_row_.assign(task_->add[op].begin(), task_->add[op].end());
        for (const std::uint32_t atom : task_->del[op])
            if (negation_of_[atom] != kNever) effect_row_.push_back(negation_of_[atom]);
        add(op << 1);
        for (const std::uint32_t effect : task_->conditional[op]) {
            const std::uint32_t atom = task_->effect_atom[effect];
            const std::uint32_t fact = task_->effect_adds[effect] ? atom : negation_of_[atom];
            if (fact == kNever) continue;
            append_facts(task_->pre_pos[op], task_->pre_neg[op]);
            append_facts(task_->effect_pos[effect], task_->effect_neg[effect]);
            effect_row_.push_back(fact);
            add(op << 1 | 1U);
        }
    }
}

void Rules::add_axioms() {
    for (std::uint32_t axiom = 0; axiom < task_->axiom_head.size(); ++axiom) {
        append_facts(task_->axiom_pos[axiom], task_->axiom_neg[axiom]);
        effect_row_.push_back(task_->axiom_head[axiom]);
        add(kNever);
    }
}

// A derived atom fails when all its axioms are broken.
void Rules::add_failures() {
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

// Leaves out the effects that are had as cheaply elsewhere, and the rules that have none left.
void Rules::simplify() {
    std::stable_sort(made_.begin(), made_.end(),
                     [](const Effect& a, const Effect& b) { return a.rule < b.rule; });
    Rows all;  // per rule: what it makes before anything is left out
    std::size_t next = 0;
    for (std::uint32_t rule = 0; rule < pre_.size(); ++rule) {
        for (; next < made_.size() && made_[next].rule == rule; ++next)
            effect_row_.push_back(made_[next].fact);
        all.append(effect_row_);
        effect_row_.clear();
    }
    mark_.assign(fact_count_, 0);
    Rows pre;
    std::vector<std::uint32_t> cost;
    next = 0;
    for (std::uint32_t rule = 0; rule < pre_.size(); ++rule) {
        ++stamp_;
        for (const std::uint32_t fact : pre_[rule]) mark_[fact] = stamp_;
        mark_beaten(rule, all);
        for (; next < made_.size() && made_[next].rule == rule; ++next) {
            if (mark_[made_[next].fact] == stamp_) continue;
            mark_[made_[next].fact] = stamp_;
            effect_row_.push_back(made_[next].fact);
            maker_.push_back(made_[next].maker);
            rule_of_.push_back(static_cast<std::uint32_t>(pre.size()));
        }
        if (effect_row_.empty()) continue;
        pre.append(pre_[rule]);
        cost.push_back(cost_[rule]);
        effects_.append(effect_row_);
        effect_row_.clear();
    }
    for (Index& index : by_pre_) Index(0, index.hash_function(), index.key_eq()).swap(index);
    pre_ = std::move(pre);
    cost_ = std::move(cost);
    std::vector<Effect>().swap(made_);
    std::vector<std::uint32_t>().swap(mark_);
    pre_.shrink();
    effects_.shrink();
}

// Marks what other rules make under some of the rule's conditions and at no higher cost.
void Rules::mark_beaten(std::uint32_t rule, const Rows& all) {
    const auto conditions = pre_[rule];
    if (cost_[rule] == 1) mark_made(by_pre_[0], conditions, all);
    if (conditions.size() > kMostCompared) return;
    const std::uint32_t whole = (1U << conditions.size()) - 1;
    for (std::uint32_t chosen = 0; chosen < whole && looks_ < kMostLooks; ++chosen) {
        subset_.clear();
        for (std::size_t place = 0; place < conditions.size(); ++place)
            if ((chosen >> place & 1U) != 0) subset_.push_back(conditions[place]);
        for (std::uint32_t cost = 0; cost <= cost_[rule]; ++cost) mark_made(by_pre_[cost], subset_, all);
    }
}

void Rules::mark_made(const Index& index, std::span<const std::uint32_t> conditions, const Rows& all) {
    ++looks_;
    const auto found = index.find(conditions);
    if (found == index.end()) return;
    looks_ += all[*found].size();
    for (const std::uint32_t fact : all[*found]) mark_[fact] = stamp_;
}

}  // namespace widthwise
