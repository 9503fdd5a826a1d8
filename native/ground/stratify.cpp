#include <algorithm>
#include <numeric>

#include "ground/build.hpp"

namespace widthwise::ground {

namespace {

// Strongly connected components of the derived atoms: Tarjan's algorithm with its own stack. Components are
// numbered such that an atom's component is never below one it depends on.
class Components {
public:
    Components(const Task& task, Meter& meter)
        : task_(&task),
          meter_(&meter),
          number_(task.atom_count, 0, MeteredAllocator<std::uint32_t>(meter)),
          low_(task.atom_count, 0, MeteredAllocator<std::uint32_t>(meter)),
          of_(task.atom_count, none, MeteredAllocator<std::uint32_t>(meter)),
          first_axiom_(std::size_t{task.atom_count} + 1, 0, MeteredAllocator<std::uint32_t>(meter)),
          axioms_(task.axiom_head.size(), 0, MeteredAllocator<std::uint32_t>(meter)),
          open_(MeteredAllocator<std::uint32_t>(meter)),
          path_(MeteredAllocator<Step>(meter)) {
        for (const std::uint32_t head : task.axiom_head) ++first_axiom_[head + 1];
        std::partial_sum(first_axiom_.begin(), first_axiom_.end(), first_axiom_.begin());
        Metered<std::uint32_t> next(first_axiom_);
        for (std::uint32_t axiom = 0; axiom < axioms_.size(); ++axiom)
            axioms_[next[task.axiom_head[axiom]]++] = axiom;
        for (std::uint32_t atom = 0; atom < task.atom_count; ++atom)
            if (task.derived[atom] && number_[atom] == 0) visit(atom);
    }

    std::uint32_t count() const { return count_; }
    std::uint32_t of(std::uint32_t atom) const { return of_[atom]; }

private:
    struct Step {
        std::uint32_t atom;
        std::uint32_t axiom;     // which of the atom's axioms is looked at
        std::uint32_t position;  // and which of its literals, positive ones first
    };

    // The next derived atom that the step's atom depends on, or `none`.
    std::uint32_t next_needed(Step& step) {
        while (step.axiom < first_axiom_[step.atom + 1]) {
            const auto pos = task_->axiom_pos[axioms_[step.axiom]];
            const auto neg = task_->axiom_neg[axioms_[step.axiom]];
            while (step.position < pos.size() + neg.size()) {
                const std::size_t at = step.position++;
                const std::uint32_t atom = at < pos.size() ? pos[at] : neg[at - pos.size()];
                if (task_->derived[atom]) return atom;
            }
            ++step.axiom;
            step.position = 0;
        }
        return none;
    }

    void enter(std::uint32_t atom) {
        number_[atom] = low_[atom] = ++visited_;
        if ((visited_ & 0xff) == 0) poll(*meter_);
        open_.push_back(atom);
        path_.push_back({atom, first_axiom_[atom], 0});
    }

    void visit(std::uint32_t root) {
        enter(root);
        while (!path_.empty()) {
            const std::uint32_t atom = path_.back().atom;
            const std::uint32_t needed = next_needed(path_.back());
            if (needed != none) {
                if (number_[needed] == 0)
                    enter(needed);
                else if (of_[needed] == none)
                    low_[atom] = std::min(low_[atom], number_[needed]);
                continue;
            }
            path_.pop_back();
            if (!path_.empty()) low_[path_.back().atom] = std::min(low_[path_.back().atom], low_[atom]);
            if (low_[atom] != number_[atom]) continue;
            std::uint32_t member;
            do {
                member = open_.back();
                open_.pop_back();
                of_[member] = count_;
            } while (member != atom);
            ++count_;
        }
    }

    const Task* task_;
    Meter* meter_;
    Metered<std::uint32_t> number_, low_, of_, first_axiom_, axioms_, open_;
    Metered<Step> path_;
    std::uint32_t visited_ = 0;
    std::uint32_t count_ = 0;
};

}  // namespace

void stratify(Task& task, Meter& meter) {
    const Components components(task, meter);
    const MeteredAllocator<std::uint32_t> memory(meter);
    const auto axiom_count = static_cast<std::uint32_t>(task.axiom_head.size());
    // Axioms by component, so that what a component needs has its layer before the component does.
    Metered<std::uint32_t> order(axiom_count, 0, memory);
    std::iota(order.begin(), order.end(), 0u);
    const auto component_of = [&](std::uint32_t axiom) { return components.of(task.axiom_head[axiom]); };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return component_of(a) < component_of(b); });
    Metered<std::uint32_t> layer(components.count(), 0, memory);
    for (const std::uint32_t axiom : order) {
        const std::uint32_t own = component_of(axiom);
        for (const std::uint32_t atom : task.axiom_pos[axiom])
            if (task.derived[atom]) layer[own] = std::max(layer[own], layer[components.of(atom)]);
        for (const std::uint32_t atom : task.axiom_neg[axiom]) {
            if (!task.derived[atom]) continue;
            if (components.of(atom) == own) {
                const auto args = task.atom_args[atom];
                throw Flaw{Flaw::Kind::negative_loop, task.atom_predicate[atom], {args.begin(), args.end()}};
            }
            layer[own] = std::max(layer[own], layer[components.of(atom)] + 1);
        }
    }
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return layer[component_of(a)] < layer[component_of(b)];
    });
    Rows pos, neg;
    std::vector<std::uint32_t> head;
    for (const std::uint32_t axiom : order) {
        pos.append(task.axiom_pos[axiom]);
        neg.append(task.axiom_neg[axiom]);
        head.push_back(task.axiom_head[axiom]);
        task.axiom_layer.push_back(layer[component_of(axiom)]);
    }
    task.axiom_pos = std::move(pos);
    task.axiom_neg = std::move(neg);
    task.axiom_head = std::move(head);
}

}  // namespace widthwise::ground
