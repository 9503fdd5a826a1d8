#include "ground/build.hpp"

#include <algorithm>

#include "ground/order.hpp"

namespace widthwise::ground {

namespace {

void sort_unique(std::vector<std::uint32_t>& ids) {
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

}  // namespace

Builder::Builder(World& world, Reachability& reach)
    : world_(&world),
      reach_(&reach),
      conditionals_(MeteredAllocator<Conditional>(*world.meter)),
      effect_words_(MeteredAllocator<std::uint32_t>(*world.meter)) {
    std::size_t widest = 0;
    for (const Predicate& predicate : world.lifted->predicates)
        widest = std::max<std::size_t>(widest, predicate.arity);
    for (const Table& table : world.lifted->tables) {
        FactTable& entries = cost_tables_.emplace_back(table.arity, *world.meter);
        auto& values = cost_values_.emplace_back(table.values.begin(), table.values.end());
        std::vector<Object> key(table.arity + 1);
        for (std::size_t entry = 0; entry < table.values.size(); ++entry) {
            const std::int32_t* args = table.keys.data() + entry * table.arity;
            std::copy(args, args + table.arity, key.begin());
            // A key that comes again takes the later value.
            values[entries.insert(key.data())] = table.values[entry];
        }
    }
    for (const Action& action : world.lifted->actions)
        for (const CostTerm& term : action.cost_terms) widest = std::max(widest, term.args.size());
    scratch_.resize(widest + 1);
}

void Builder::build(Task& task) {
    number_atoms(task);
    add_initial_state(task);
    add_goal(task);
    for (std::uint32_t action = 0; action < world_->lifted->actions.size(); ++action)
        add_operators(task, action);
    add_axioms(task);
    if (task.has_axioms()) stratify(task, *world_->meter);
    account(task);
}

void Builder::account(const Task& task) {
    // Rows count their items in 32 bits; this is asked often enough that the rest cannot be used up in
    // between.
    for (const Rows* rows :
         {&task.pre_pos, &task.add, &task.del, &task.effect_pos, &task.axiom_pos, &task.operator_args})
        if (rows->item_count() > 0xf0000000) throw Halted{Halt::memory};
    const std::uint64_t bytes = bytes_of(task);
    if (bytes > accounted_) {
        charge(*world_->meter, bytes - accounted_);
        accounted_ = bytes;
    }
}

void Builder::number_atoms(Task& task) {
    const Lifted& lifted = *world_->lifted;
    for (std::uint32_t predicate = 0; predicate < lifted.predicates.size(); ++predicate) {
        auto& atoms = atoms_.emplace_back(MeteredAllocator<std::uint32_t>(*world_->meter));
        if (lifted.is_static(predicate)) continue;
        const FactTable& facts = world_->facts[predicate];
        const auto order = sorted_records(facts.args(0), facts.size(), facts.arity(), facts.arity(),
                                          lifted.object_count, *world_->meter);
        atoms.resize(facts.size());
        for (const std::uint32_t fact : order) {
            atoms[fact] = task.atom_count++;
            task.atom_predicate.push_back(predicate);
            task.atom_args.append({facts.args(fact), facts.arity()});
            task.derived.push_back(lifted.predicates[predicate].kind == Kind::derived ? 1 : 0);
        }
        account(task);
        poll(*world_->meter);
    }
}

void Builder::add_initial_state(Task& task) {
    for (std::uint32_t predicate = 0; predicate < world_->lifted->predicates.size(); ++predicate) {
        if (world_->lifted->is_static(predicate)) continue;
        for (std::uint32_t fact = 0; fact < reach_->initial(predicate); ++fact)
            task.init.push_back(atoms_[predicate][fact]);
    }
    std::sort(task.init.begin(), task.init.end());
}

std::uint32_t Builder::find_atom(std::uint32_t predicate, std::span<const Term> args,
                                 const std::uint32_t* values) {
    for (std::size_t position = 0; position < args.size(); ++position) {
        const Term term = args[position];
        scratch_[position] = term >= 0 ? values[term] : static_cast<Object>(~term);
    }
    const std::uint32_t fact = world_->facts[predicate].find(scratch_.data());
    return fact == none ? none : atoms_[predicate][fact];
}

void Builder::add_goal(Task& task) {
    for (const Literal& literal : world_->lifted->goal) {
        for (std::size_t position = 0; position < literal.args.size(); ++position)
            scratch_[position] = static_cast<Object>(~literal.args[position]);
        if (literal.predicate == equality) {
            task.goal_reachable &= (scratch_[0] == scratch_[1]) != literal.negated;
            continue;
        }
        const std::uint32_t fact = world_->facts[literal.predicate].find(scratch_.data());
        if (world_->lifted->is_static(literal.predicate))
            task.goal_reachable &= (fact != none) != literal.negated;
        else if (fact != none)
            (literal.negated ? task.goal_neg : task.goal_pos).push_back(atoms_[literal.predicate][fact]);
        else
            task.goal_reachable &= literal.negated;
    }
    sort_unique(task.goal_pos);
    sort_unique(task.goal_neg);
}

// The fluent literals of an instance's body, into `pos_` and `neg_`.
void Builder::add_condition(const Schema& schema, const Instances& instances, const std::uint32_t* record) {
    pos_.clear();
    neg_.clear();
    const std::uint32_t* fact = record + instances.variables;
    for (const std::uint32_t place : schema.rule.fluent_places)
        pos_.push_back(atoms_[schema.rule.body[place].predicate][*fact++]);
    // An atom that cannot be reached is false anyway.
    for (const Pattern& pattern : schema.rule.negative)
        if (const std::uint32_t atom = find_atom(pattern.predicate, pattern.args, record); atom != none)
            neg_.push_back(atom);
    sort_unique(pos_);
    sort_unique(neg_);
}

void Builder::add_operators(Task& task, std::uint32_t number) {
    const Action& action = world_->lifted->actions[number];
    const Schema& schema = reach_->schemas()[number];
    Instances& instances = reach_->instances(number);
    std::deque<GeneralJoin> generals;
    std::vector<Join> joins;
    for (const GeneralEffect& effect : schema.general) {
        // What is deleted must be reachable to matter: the deleted literal is one more pattern to match.
        std::vector<Literal> head;
        if (effect.effect->literal.negated)
            head.push_back({effect.effect->literal.predicate, false, effect.effect->literal.args});
        const std::vector<Literal>* parts[] = {&effect.effect->condition, &head};
        Rule rule = make_rule(*world_, effect.parameters, parts);
        const std::uint32_t head_place = head.empty() ? none : rule.fluent_places.back();
        generals.push_back({std::move(rule), &effect.effect->literal, head_place});
        joins.emplace_back(*world_, generals.back().rule);
    }
    const auto order = sorted_records(instances.words.data(), instances.count, instances.stride,
                                      instances.variables, world_->lifted->object_count, *world_->meter);
    for (const std::uint32_t instance : order) {
        if ((++ticks_ & 0x3f) == 0) poll(*world_->meter);
        if ((ticks_ & 0xfff) == 0) account(task);
        const std::uint32_t* record = instances.record(instance);
        add_.clear();
        del_.clear();
        conditionals_.clear();
        effect_words_.clear();
        for (std::size_t k = 0; k < schema.adds.size(); ++k)
            add_.push_back(atoms_[schema.adds[k].literal->predicate][record[instances.heads + k]]);
        for (const SimpleHead& head : schema.deletes) {
            const std::uint32_t atom =
                head.same_as != none
                    ? atoms_[head.literal->predicate][record[instances.variables + head.same_as]]
                    : find_atom(head.literal->predicate, head.literal->args, record);
            if (atom != none) del_.push_back(atom);
        }
        for (std::size_t k = 0; k < generals.size(); ++k)
            add_general_effect(generals[k], joins[k], {record, instances.variables});
        if (add_.empty() && del_.empty() && conditionals_.empty()) continue;
        add_condition(schema, instances, record);
        sort_unique(add_);
        sort_unique(del_);
        std::erase_if(del_,
                      [&](std::uint32_t atom) { return std::binary_search(add_.begin(), add_.end(), atom); });
        task.pre_pos.append(pos_);
        task.pre_neg.append(neg_);
        task.add.append(add_);
        task.del.append(del_);
        task.cost.push_back(cost_of(action, record));
        task.operator_schema.push_back(number);
        task.operator_args.append({record, action.shown});
        finish_conditionals(task);
    }
    // The records of this schema are done with; the rest of the task takes their place.
    instances.words.clear();
    instances.words.shrink_to_fit();
}

// Sorts the part of `effect_words_` from `begin` on, drops repetitions and returns where it ends.
std::uint32_t Builder::close_condition(std::uint32_t begin) {
    const auto first = effect_words_.begin() + begin;
    std::sort(first, effect_words_.end());
    effect_words_.erase(std::unique(first, effect_words_.end()), effect_words_.end());
    return static_cast<std::uint32_t>(effect_words_.size());
}

void Builder::add_general_effect(GeneralJoin& general, Join& join, std::span<const Object> values) {
    if (general.rule.impossible) return;
    join.from_values(values, [&] {
        const std::uint32_t predicate = general.head->predicate;
        const std::uint32_t fact = general.head_place != none
                                       ? join.matched(general.head_place)
                                       : world_->facts[predicate].find(join.instance(general.head->args));
        const auto begin = static_cast<std::uint32_t>(effect_words_.size());
        for (const std::uint32_t place : general.rule.fluent_places)
            if (place != general.head_place)
                effect_words_.push_back(atoms_[general.rule.body[place].predicate][join.matched(place)]);
        const std::uint32_t middle = close_condition(begin);
        for (const Pattern& pattern : general.rule.negative)
            if (const std::uint32_t atom = find_atom(pattern.predicate, pattern.args, join.values().data());
                atom != none)
                effect_words_.push_back(atom);
        const std::uint32_t end = close_condition(middle);
        const std::uint32_t atom = atoms_[predicate][fact];
        if (begin == end)
            (general.head->negated ? del_ : add_).push_back(atom);
        else
            conditionals_.push_back({atom, !general.head->negated, begin, middle, end});
    });
}

// Writes the conditional effects, each once, sorted; what is added and deleted under the same condition is
// added.
void Builder::finish_conditionals(Task& task) {
    Ids effects;
    if (conditionals_.empty()) {
        task.conditional.append(effects);
        return;
    }
    using Part = std::span<const std::uint32_t>;
    const auto part = [&](std::uint32_t from, std::uint32_t to) {
        return Part(effect_words_.data() + from, to - from);
    };
    const auto compare = [&](const Conditional& a, const Conditional& b) {
        if (a.atom != b.atom) return a.atom < b.atom ? -1 : 1;
        const Part a_pos = part(a.begin, a.middle), b_pos = part(b.begin, b.middle);
        if (!std::ranges::equal(a_pos, b_pos))
            return std::ranges::lexicographical_compare(a_pos, b_pos) ? -1 : 1;
        const Part a_neg = part(a.middle, a.end), b_neg = part(b.middle, b.end);
        if (!std::ranges::equal(a_neg, b_neg))
            return std::ranges::lexicographical_compare(a_neg, b_neg) ? -1 : 1;
        return 0;
    };
    std::sort(conditionals_.begin(), conditionals_.end(), [&](const Conditional& a, const Conditional& b) {
        const int order = compare(a, b);
        return order != 0 ? order < 0 : a.adds && !b.adds;
    });
    for (std::size_t k = 0; k < conditionals_.size(); ++k) {
        const Conditional& effect = conditionals_[k];
        if (k > 0 && compare(conditionals_[k - 1], effect) == 0) continue;
        effects.push_back(static_cast<std::uint32_t>(task.effect_atom.size()));
        task.effect_pos.append(part(effect.begin, effect.middle));
        task.effect_neg.append(part(effect.middle, effect.end));
        task.effect_atom.push_back(effect.atom);
        task.effect_adds.push_back(effect.adds ? 1 : 0);
    }
    task.conditional.append(effects);
}

double Builder::cost_of(const Action& action, const std::uint32_t* values) {
    double cost = action.constant_cost;
    for (const CostTerm& term : action.cost_terms) {
        for (std::size_t position = 0; position < term.args.size(); ++position) {
            const Term arg = term.args[position];
            scratch_[position] = arg >= 0 ? values[arg] : static_cast<Object>(~arg);
        }
        const std::uint32_t entry = cost_tables_[term.table].find(scratch_.data());
        if (entry == none)
            throw Flaw{Flaw::Kind::missing_cost,
                       term.table,
                       {scratch_.begin(), scratch_.begin() + static_cast<std::ptrdiff_t>(term.args.size())}};
        cost += cost_values_[term.table][entry];
    }
    return cost;
}

void Builder::add_axioms(Task& task) {
    const std::size_t first = world_->lifted->actions.size();
    for (std::size_t number = first; number < reach_->schemas().size(); ++number) {
        const Schema& schema = reach_->schemas()[number];
        const Instances& instances = reach_->instances(number);
        const auto order = sorted_records(instances.words.data(), instances.count, instances.stride,
                                          instances.variables, world_->lifted->object_count, *world_->meter);
        for (const std::uint32_t instance : order) {
            if ((++ticks_ & 0x3f) == 0) poll(*world_->meter);
            if ((ticks_ & 0xfff) == 0) account(task);
            const std::uint32_t* record = instances.record(instance);
            add_condition(schema, instances, record);
            task.axiom_pos.append(pos_);
            task.axiom_neg.append(neg_);
            task.axiom_head.push_back(atoms_[schema.adds[0].literal->predicate][record[instances.heads]]);
        }
    }
}

}  // namespace widthwise::ground
