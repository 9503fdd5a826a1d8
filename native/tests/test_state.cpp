// States, operators and their successors, axioms, goals, complementary features, the tree.
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "state/axioms.hpp"
#include "state/chunks.hpp"
#include "state/complements.hpp"
#include "state/goal.hpp"
#include "state/operators.hpp"
#include "state/precondition_masks.hpp"
#include "state/tree.hpp"
#include "tests/support.hpp"

using namespace widthwise;
using namespace widthwise::tests;

namespace {

// An operator that leaves every state as it is; such operators are never tried.
bool idle(const Task& task, std::size_t op) {
    const auto add = task.add[op], del = task.del[op], pos = task.pre_pos[op], neg = task.pre_neg[op];
    return task.conditional[op].empty() && std::includes(pos.begin(), pos.end(), add.begin(), add.end()) &&
           std::includes(neg.begin(), neg.end(), del.begin(), del.end());
}

// The operators that the kernel finds, in the order in which they are tried.
Ids ranks_of(Expander& expander, const std::vector<Word>& state) {
    Ids ranks;
    expander.collect(state.data());
    expander.take(0, [&](std::size_t rank) {
        ranks.push_back(static_cast<std::uint32_t>(rank));
        return true;
    });
    return ranks;
}

// Compares successors with the twin along a random walk; returns how many were compared.
std::size_t compare_successors(const Description& description, std::optional<std::uint64_t> seed,
                               const Ids& complements) {
    const auto task = make_task(description);
    const auto operators = std::make_shared<const Operators>(task, seed, nullptr, Forbidden{}, complements);
    Expander expander(operators);
    Random random(description.operators.size());
    Atoms state = first_state(*task);
    std::vector<Word> words = pack(state, operators->word_count());
    expander.derive(words.data());
    std::size_t compared = 0;
    for (int step = 0; step < 12; ++step) {
        CHECK(unpack(words, task->atom_count) == state);
        for (std::size_t index = 0; index < complements.size(); ++index)
            CHECK(test_bit(words.data(), operators->atom_words() * 64 + index) !=
                  state.contains(complements[index]));
        Ids expected;
        for (std::uint32_t rank = 0; rank < operators->count(); ++rank)
            if (const std::uint32_t op = operators->operator_at(rank);
                applies(*task, state, op) && !idle(*task, op))
                expected.push_back(rank);
        const Ids ranks = ranks_of(expander, words);
        CHECK(ranks == expected);
        for (const std::uint32_t rank : ranks) {
            std::vector<Word> child(operators->word_count());
            expander.apply(words.data(), rank, child.data());
            const Atoms after = apply(*task, state, operators->operator_at(rank));
            CHECK(unpack(child, task->atom_count) == after);
            std::vector<Word> derived = pack(after, operators->word_count());
            expander.derive(derived.data());
            CHECK(child == derived);
            ++compared;
        }
        if (ranks.empty()) break;
        const std::uint32_t rank = ranks[random.below(static_cast<std::uint32_t>(ranks.size()))];
        state = apply(*task, state, operators->operator_at(rank));
        std::vector<Word> child(operators->word_count());
        expander.apply(words.data(), rank, child.data());
        words = child;
    }
    return compared;
}

}  // namespace

TEST_CASE("the operators that apply, and the states after them, are those of the twin") {
    std::size_t compared = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        CAPTURE(seed);
        const bool rich = seed % 2 == 1;
        compared += compare_successors(random_task(seed, rich), std::nullopt, {});
        compared += compare_successors(random_task(seed, rich), seed, {0, 2});
    }
    CHECK(compared > 500);
}

TEST_CASE("large tasks use tries and find the same operators") {
    // Too many operators for masks: they branch over places, so that the tries have fans.
    Description description = corridor(40);
    for (std::uint32_t from = 0; from < 40; ++from)
        for (std::uint32_t to = 0; to < 40; ++to)
            if (from != to) description.operators.push_back({{from, 40}, {}, {to}, {from}});
    REQUIRE_FALSE(PreconditionMasks::suit(*make_task(description)));
    CHECK(compare_successors(description, std::nullopt, {}) > 0);
    description.init = {7, 40};
    CHECK(compare_successors(description, 3, {}) > 40);
}

TEST_CASE("a seed permutes the operators") {
    const auto task = make_task(boxes(10));
    const Operators plain(task, std::nullopt), shuffled(task, 5), again(task, 5);
    bool different = false;
    Ids all;
    for (std::uint32_t rank = 0; rank < plain.count(); ++rank) {
        CHECK(plain.operator_at(rank) == rank);
        CHECK(shuffled.operator_at(rank) == again.operator_at(rank));
        CHECK(shuffled.rank_of(shuffled.operator_at(rank)) == rank);
        different = different || shuffled.operator_at(rank) != rank;
        all.push_back(shuffled.operator_at(rank));
    }
    CHECK(different);
    std::sort(all.begin(), all.end());
    CHECK(std::adjacent_find(all.begin(), all.end()) == all.end());
}

TEST_CASE("an expansion continues after a rank, and the next one starts from the beginning") {
    const auto task = make_task(boxes(4));
    Expander expander(std::make_shared<const Operators>(task, std::nullopt));
    const std::vector<Word> state = pack(first_state(*task), 1);
    const Ids all = ranks_of(expander, state);
    REQUIRE(all.size() >= 3);
    Ids rest;
    expander.collect(state.data());
    expander.take(all[1], [&](std::size_t rank) {
        rest.push_back(static_cast<std::uint32_t>(rank));
        return rest.size() < 2;
    });
    CHECK(rest == Ids{all[1], all[2]});
    CHECK(ranks_of(expander, state) == all);
}

TEST_CASE("forbidden atoms keep an operator from applying") {
    const auto task = make_task(corridor(4));
    Forbidden forbidden;
    forbidden.words = {0, Word{1} << 4};
    forbidden.rows.assign(task->operator_count(), 0);
    forbidden.rows[0] = 1;  // the first step to the right, once the key was taken
    Expander expander(std::make_shared<const Operators>(task, std::nullopt, nullptr, forbidden));
    CHECK(ranks_of(expander, pack({0}, 1)) == Ids{0});
    CHECK(ranks_of(expander, pack({0, 4}, 1)).empty());
    CHECK(expander.looks() == 2);
}

TEST_CASE("axioms are evaluated layer by layer") {
    // 2 <- 0; 3 <- 2, not 1; 4 <- not 3 (layer 1).
    Description description{5, {}, {0}, {}, {}, {{2, {0}, {}, 0}, {3, {2}, {1}, 0}, {4, {}, {3}, 1}}};
    const auto task = make_task(description);
    AxiomEvaluator axioms(*task);
    for (const Atoms& given : {Atoms{0}, Atoms{}, Atoms{0, 1}, Atoms{1}, Atoms{0}}) {
        std::vector<Word> state = pack(given, 1);
        set_bit(state.data(), 4);  // the old content is overwritten
        axioms.evaluate(state.data());
        CHECK(unpack(state, 5) == derive(*task, given));
    }
    CHECK(axioms.work() > 0);
}

TEST_CASE("the goal holds where the twin says so, and no operator is given up that could reach it") {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        CAPTURE(seed);
        const auto task = make_task(random_task(seed, seed % 2 == 1));
        const auto operators = std::make_shared<const Operators>(task, std::nullopt);
        const Goal goal(*operators, task->goal_pos, task->goal_neg, {});
        Random random(seed);
        for (int state_number = 0; state_number < 20; ++state_number) {
            const Ids some = random.some(task->atom_count, 8);
            const Atoms state = derive(*task, Atoms(some.begin(), some.end()));
            const std::vector<Word> words = pack(state, operators->word_count());
            CHECK(goal.holds(words.data()) == satisfies(*task, state));
            for (std::uint32_t rank = 0; rank < operators->count(); ++rank)
                if (applies(*task, state, rank) && !satisfies(*task, state) &&
                    satisfies(*task, apply(*task, state, rank)))
                    CHECK(goal.hopeless(rank) > goal.open(words.data()));
        }
    }
}

TEST_CASE("one of several literals may be asked for besides the goal") {
    const auto task = make_task(corridor(3));
    const Operators operators(task, std::nullopt);
    const Goal goal(operators, {3}, {}, {0 * 2, 1 * 2 + 1});  // the key, and at 0 or not at 1
    CHECK(goal.holds(pack({0, 3}, 1).data()));
    CHECK(goal.holds(pack({2, 3}, 1).data()));
    CHECK_FALSE(goal.holds(pack({1, 3}, 1).data()));
    CHECK_FALSE(goal.holds(pack({0}, 1).data()));
}

TEST_CASE("atoms that some condition wants false are found, through axioms too") {
    Description description{6, {{{0}, {1}, {2}, {}}}, {0}, {}, {5}, {{5, {3}, {4}, 0}}};
    // 1 by a precondition, 5 by the goal, and 3, without which 5 is false; 4 occurs negated in the axiom.
    const auto task = make_task(description);
    CHECK(wanted_false(*task, description.goal_neg) == Ids{1, 3, 4, 5});
    CHECK(wanted_false(*make_task(corridor(5)), {}).empty());
}

TEST_CASE("columns grow by chunks, are charged for, and never move") {
    const auto meter = new_meter(200'000);
    {
        Chunks<std::uint32_t, 1> column(*meter);
        REQUIRE(column.reserve_one());
        std::uint32_t* first = column.push();
        *first = 17;
        std::size_t size = 1;
        for (; column.reserve_one(); ++size) *column.push() = static_cast<std::uint32_t>(size);
        CHECK(size > 40'000);
        CHECK(column.size() == size);
        CHECK(first == column.row(0));
        CHECK(column[0] == 17);
        CHECK(column[size - 1] == size - 1);
        CHECK(meter->bytes() == column.bytes());
        CHECK(meter->bytes() <= 200'000);
    }
    CHECK(meter->bytes() == 0);
}

TEST_CASE("the tree returns the way to a node, and moves nodes") {
    const auto meter = new_meter();
    Tree tree(*meter, 1, true);
    const std::uint32_t root = tree.add(kNone, kNone, 0), left = tree.add(root, 4, 1),
                        leaf = tree.add(left, 5, 2), right = tree.add(root, 6, 1);
    CHECK(tree.path(leaf) == Ids{4, 5});
    CHECK(tree.path(root).empty());
    tree.set(leaf, kPruned);
    CHECK(tree.has(leaf, kPruned));
    CHECK(tree.depth(leaf) == 2);
    tree.clear(leaf, kPruned);
    CHECK(tree.flags(leaf) == 0);
    tree.move(leaf, right, 9);
    CHECK(tree.path(leaf) == Ids{6, 9});
    CHECK(tree.region(left) == kNone);
    tree.set_region(left, 3);
    CHECK(tree.region(left) == 3);
    Ids parents;
    tree.each_node({1, 4}, [&](std::uint32_t, std::uint32_t parent, std::uint32_t&, std::uint32_t&) {
        parents.push_back(parent);
        return true;
    });
    CHECK(parents == Ids{root, right, root});
}
