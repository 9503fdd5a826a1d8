"""Literal Python twins of relaxed plans and of best-first width search, written from what the kernels state."""

import heapq

from twin_search import Tuples
from widthwise import _native

MOST = 1 << 12  # costs beyond are all the same
MOST_COMPARED = 5  # rules with more conditions are not compared with those of fewer


class RelaxedTwin:
    """The task without deletes: facts are (atom, holds), costs are additive, first come first served."""

    def __init__(self, spec):
        self.spec = spec
        self.derived = {head: layer for head, _, _, layer in spec.axioms}
        self.goal = sorted((atom, True) for atom in spec.goal_pos) + sorted((atom, False) for atom in spec.goal_neg)
        self.given = []  # (conditions, effects, operator or None)
        wanted_false = self.wanted_false()
        for number, op in enumerate(spec.ops):
            conditions = {(atom, True) for atom in op.pos} | {(atom, False) for atom in op.neg}
            effects = [(atom, True) for atom in sorted(op.add)]
            effects += [(atom, False) for atom in sorted(op.delete) if atom in wanted_false]
            self.rule(conditions, effects, number)
            for pos, neg, atom, adds in op.effects:
                if adds or atom in wanted_false:
                    more = {(po, True) for po in pos} | {(item, False) for item in neg}
                    self.rule(conditions | more, [(atom, adds)], number)
        for head, pos, neg, _ in spec.axioms:
            self.rule({(atom, True) for atom in pos} | {(atom, False) for atom in neg}, [(head, True)], None)
        for number, (head, pos, neg, layer) in enumerate(spec.axioms):
            if head not in wanted_false:
                continue
            for atom in sorted(pos):
                self.rule({(atom, False)} if self.derived.get(atom) != layer else set(), [("broken", number)], None)
            for atom in sorted(neg):
                self.rule({(atom, True)}, [("broken", number)], None)
        for atom in wanted_false:
            if atom in self.derived:
                axioms = {("broken", number) for number, axiom in enumerate(spec.axioms) if axiom[0] == atom}
                self.rule(axioms, [(atom, False)], None)
        self.wanted = wanted_false
        self.rules = self.merged()  # (conditions, cost, effects: (fact, number in `given`))

    def rule(self, conditions, effects, op):
        if effects:
            self.given.append((frozenset(conditions), effects, op))

    def merged(self):
        """Rules of the same conditions and cost are one; an effect stays where it is not had as cheaply elsewhere."""

        def cost(given):
            return int(given[2] is not None)

        def beaten(number, fact):
            conditions, _, _ = mine = self.given[number]
            return fact in conditions or any(
                fact in other[1]
                and cost(other) <= cost(mine)
                and (
                    (other[0] < conditions and len(conditions) <= MOST_COMPARED)
                    or (other[0] == conditions and (cost(other), place) < (cost(mine), number))
                )
                for place, other in enumerate(self.given)
            )

        rules = {}
        for number, given in enumerate(self.given):
            kept = [(fact, number) for fact in given[1] if not beaten(number, fact)]
            rules.setdefault((given[0], cost(given)), []).extend(kept)
        return [(*key, effects) for key, effects in rules.items() if effects]

    def wanted_false(self):
        """The atoms whose falsehood matters, in the order in which they are met."""
        spec = self.spec
        wanted = dict.fromkeys(sorted(spec.goal_neg))
        wanted |= dict.fromkeys(atom for op in spec.ops for atom in sorted(op.neg))
        wanted |= dict.fromkeys(atom for op in spec.ops for effect in op.effects for atom in sorted(effect[1]))
        wanted |= dict.fromkeys(atom for axiom in spec.axioms for atom in sorted(axiom[2]))
        queue = list(wanted)
        for atom in queue:
            for head, pos, _, _ in spec.axioms:
                if head == atom:
                    queue += [po for po in sorted(pos) if po not in queue]
        return queue

    def explore(self, state):
        """(costs, supporters) of the facts that can be reached."""
        cost, supporter, queue, count = {}, {}, [], 0
        unmet = [set(conditions) for conditions, _, _ in self.rules]

        def reach(fact, value, why):
            nonlocal count
            if cost.get(fact, MOST + 1) > value:
                cost[fact], supporter[fact] = value, why
                heapq.heappush(queue, (value, count, fact))
                count += 1

        def fire(rule):
            conditions, own, effects = self.rules[rule]
            value = min(MOST, sum(cost[fact] for fact in conditions) + own)
            for fact, given in effects:
                reach(fact, value, (rule, given))

        for atom in sorted(state):
            reach((atom, True), 0, None)
        for atom in self.wanted:
            if atom not in state:
                reach((atom, False), 0, None)
        for rule, (conditions, _, _) in enumerate(self.rules):
            if not conditions:
                fire(rule)
        while queue:
            value, _, fact = heapq.heappop(queue)
            if cost[fact] < value:
                continue
            for rule in range(len(self.rules)):
                if fact in unmet[rule]:
                    unmet[rule].remove(fact)
                    if not unmet[rule]:
                        fire(rule)
        return cost, supporter

    def evaluate(self, state):
        """(operators, the effects that it is for) of the relaxed plan, or None for a dead end."""
        cost, supporter = self.explore(state)
        if any(fact not in cost for fact in self.goal):
            return None
        chosen, facts, todo = set(), set(), list(self.goal)
        while todo:
            fact = todo.pop()
            if fact in facts:
                continue
            facts.add(fact)
            if supporter[fact] is not None:
                rule, given = supporter[fact]
                chosen.add((fact, given))
                todo += self.rules[rule][0]
        return {self.given[given][2] for _, given in chosen} - {None}, chosen

    def effects(self, state, chosen):
        """What the chosen effects, and what comes with them, make true and make false that is not so in the state."""
        facts = {fact for _, given in chosen for fact in self.given[given][1] if fact[0] != "broken"}
        return {(atom, holds) for atom, holds in facts if (atom in state) != holds}


class BfwsTwin:
    """BFWS(f5): every node keeps its whole way, and the counters are computed from their definitions."""

    def __init__(self, spec, order, width, prune, max_nodes):
        self.spec, self.order, self.width, self.prune, self.max_nodes = spec, order, width, prune, max_nodes
        self.relaxed = RelaxedTwin(spec)
        self.nodes = []  # (state, parent, op, depth, open goals, reached, novelty, way since the plan's state)
        self.plans = {}  # by node: the effects of its relaxed plan
        self.tables = {}
        self.generated = self.expanded = self.pruned = self.dead_ends = 0

    def open_goals(self, state):
        return len(self.spec.goal_pos - state) + len(self.spec.goal_neg & state)

    def novelty(self, counters, state):
        table = self.tables.setdefault(counters, Tuples(self.width))
        features = self.spec.features(state)
        new = [len(item) for item in table.tuples(features) - table.seen]
        table.add(features)
        return min(new, default=self.width + 1)

    def run(self):
        queue, seen, done = [], {}, set()  # seen: nodes by state; done: those expanded, or found to be dead ends

        def keep(state, parent, op, reached, origin):
            goals = self.open_goals(state)
            novelty = 1 if goals == 0 and parent is not None else self.novelty((goals, reached), state)
            if (self.prune or state in seen) and novelty > self.width and parent is not None:
                self.pruned += 1
                return None
            depth = 0 if parent is None else self.nodes[parent][3] + 1
            number = seen.setdefault(state, len(self.nodes))
            row = (state, parent, op, depth, goals, reached, novelty, number if origin is None else origin)
            self.nodes[number : number + 1] = [row]
            heapq.heappush(queue, (novelty, goals, depth, number))
            return number

        def settled(state):
            number = seen.get(state)
            return number is not None and (number in done or self.nodes[number][6] <= self.width)

        if self.max_nodes == 0:
            return "OUT_OF_NODES", None
        self.generated = 1
        if self.spec.is_goal(self.spec.start()):
            return "SOLVED", 0
        keep(self.spec.start(), None, None, 0, None)
        while queue:
            novelty, _, _, number = heapq.heappop(queue)
            state, _, _, _, goals, _, now_novelty, origin = self.nodes[number]
            if novelty != now_novelty:
                continue  # it was moved
            if origin == number:
                result = self.relaxed.evaluate(state)
                if result is None:
                    self.dead_ends += 1
                    done.add(number)
                    continue
                self.plans[number] = self.relaxed.effects(state, result[1])
            possible = set(self.spec.applicable(state))
            for op in [op for op in self.order if op in possible]:
                if self.generated == self.max_nodes:
                    return "OUT_OF_NODES", None
                self.generated += 1
                child = self.spec.apply(state, op)
                if settled(child):
                    self.pruned += 1
                    continue
                if self.open_goals(child) < goals:
                    made = keep(child, number, op, 0, None)
                else:
                    made = keep(child, number, op, self.reached(number, child, origin), origin)
                if made is not None and self.spec.is_goal(child):
                    return "SOLVED", made
            done.add(number)
            self.expanded += 1
        return "EXHAUSTED", None

    def reached(self, number, child, origin):
        """How many effects of the relaxed plan some state showed since the plan's own."""
        way = [child]
        while number != origin:
            way.append(self.nodes[number][0])
            number = self.nodes[number][1]
        return sum(any((atom in state) == holds for state in way) for atom, holds in self.plans[origin])

    def counts(self):
        return self.generated, self.expanded, self.pruned, self.dead_ends

    def rows(self):
        return [
            (parent, op, depth, (novelty, goals, reached), sorted(state))
            for state, parent, op, depth, goals, reached, novelty, _ in self.nodes
        ]


def ends_along_a_chain(kind, count):
    """Run a search to the end of a chain of states; it gives its memory back, and needs all it took.

    Returns the nodes generated and evaluated, and the shortest relaxed plan.
    """
    ops = [([n], [], [n + 1], [], 1.0, []) for n in range(count)]
    operators = _native.Operators(_native.GroundedTask.build(count + 1, ops, [], [0], [count], []))
    meter = _native.Meter()
    search = kind(operators, meter, [count], [])
    search.start()
    assert search.resume()[0] is _native.Stop.SOLVED
    counts = search.generated, search.evaluated, search.best
    peak = meter.peak_bytes
    del search
    assert meter.bytes == 0
    small = _native.Meter(bytes=peak - 1)
    search = kind(operators, small, [count], [])
    stop, _ = search.start()
    if stop is _native.Stop.PAUSED:
        stop, _ = search.resume()
    assert stop is _native.Stop.OUT_OF_MEMORY and small.peak_bytes < peak
    return counts
