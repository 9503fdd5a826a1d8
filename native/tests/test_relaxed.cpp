// Rules, relaxed plans and landmarks.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "relaxed/landmarks.hpp"
#include "relaxed/relaxed.hpp"
#include "relaxed/rules.hpp"
#include "tests/support.hpp"

using namespace widthwise;
using namespace widthwise::tests;

namespace {

// Whether the goal can be reached when what is true stays true and what is false may become false.
bool reachable_without_deletes(const Task& task, const Atoms& state, const Ids& goal) {
    Atoms reached = state;
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t op = 0; op < task.operator_count(); ++op) {
            const auto pre = task.pre_pos[op];
            if (!std::all_of(pre.begin(), pre.end(), [&](auto atom) { return reached.contains(atom); }))
                continue;
            for (const std::uint32_t atom : task.add[op]) changed = reached.insert(atom).second || changed;
        }
    }
    return std::all_of(goal.begin(), goal.end(), [&](auto atom) { return reached.contains(atom); });
}

}  // namespace

TEST_CASE("there is a relaxed plan exactly where the goal can be reached without deletes") {
    int reachable = 0, dead = 0;
    const auto meter = new_meter();
    for (std::uint64_t seed = 0; seed < 80; ++seed) {
        CAPTURE(seed);
        const auto task = make_task(random_task(seed, false));
        const auto relaxed = Relaxed::make(*task, task->goal_pos, task->goal_neg, *meter);
        REQUIRE(relaxed);
        Random random(seed);
        for (int turn = 0; turn < 10; ++turn) {
            const Ids some = random.some(task->atom_count, 6);
            const Atoms state(some.begin(), some.end());
            const std::vector<Word> words = pack(state, words_for(task->atom_count));
            const bool expected = reachable_without_deletes(*task, state, task->goal_pos);
            REQUIRE(relaxed->evaluate(words.data()) == expected);
            (expected ? reachable : dead) += 1;
            if (!expected) continue;
            // Executed in some order and without deletes, the operators of the plan reach the goal.
            Atoms reached = state;
            std::set<std::uint32_t> left(relaxed->plan().begin(), relaxed->plan().end());
            CHECK(left.size() == relaxed->plan().size());
            for (bool changed = true; changed;) {
                changed = false;
                for (const std::uint32_t op : Ids(left.begin(), left.end()))
                    if (applies(*task, reached, op)) {
                        reached.insert(task->add[op].begin(), task->add[op].end());
                        left.erase(op);
                        changed = true;
                    }
            }
            CHECK(left.empty());
            for (const std::uint32_t atom : task->goal_pos) CHECK(reached.contains(atom));
            for (const std::uint32_t op : relaxed->plan())
                CHECK(relaxed->applies(words.data(), op) == applies(*task, state, op));
        }
    }
    CHECK(reachable > 100);
    CHECK(dead > 100);
}

TEST_CASE("a state without a relaxed plan has no plan, whatever the conditions are") {
    const auto meter = new_meter();
    int dead = 0;
    for (std::uint64_t seed = 0; seed < 80; ++seed) {
        CAPTURE(seed);
        const auto task = make_task(random_task(seed, true));
        const auto relaxed = Relaxed::make(*task, task->goal_pos, task->goal_neg, *meter);
        REQUIRE(relaxed);
        const std::vector<Word> words = pack(first_state(*task), words_for(task->atom_count));
        if (relaxed->evaluate(words.data())) continue;
        ++dead;
        CHECK(shortest_plan(*task) == kNoPlan);
    }
    CHECK(dead > 5);
}

TEST_CASE("the relaxed plan of the corridor leads to the key") {
    const auto meter = new_meter();
    const auto task = make_task(corridor(11));
    const auto relaxed = Relaxed::make(*task, task->goal_pos, task->goal_neg, *meter);
    const std::vector<Word> first = pack({0}, 1);
    REQUIRE(relaxed->evaluate(first.data()));
    CHECK(relaxed->plan().size() == 11);  // ten steps and the key; back at 0 is where it was
    std::vector<Word> made_true(1, 0), made_false(1, 0);
    relaxed->mark_effects(first.data(), made_true.data(), made_false.data());
    CHECK(unpack(made_true, 12) == Atoms{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
    // Another goal.
    const std::vector<Word> place = pack({3}, 1), nothing(1, 0);
    relaxed->aim(place.data(), nothing.data());
    REQUIRE(relaxed->evaluate(first.data()));
    CHECK(relaxed->plan().size() == 3);
    CHECK(relaxed->work() > 0);
}

TEST_CASE("rules with the same conditions are one, and weaker ones are left out") {
    // Three operators that add 1: two differ in what they delete, the third needs more.
    const auto task =
        make_task({4, {{{0}, {}, {1}, {2}}, {{0}, {}, {1}, {3}}, {{0, 2}, {}, {1}, {}}}, {0}, {1}, {}});
    const Rules rules(*task, {});
    CHECK(rules.size() == 1);
    CHECK(rules.effects(0).size() == 1);
    CHECK(rules.fact_of(rules.first_effect(0)) == 1);
    CHECK(rules.operator_of(rules.first_effect(0)) == 0);
    CHECK(rules.negation_of(2) == Rules::kNever);
    CHECK(Rules(*task, Ids{2}).negation_of(2) == 4);
}

TEST_CASE("the landmarks of the corridor are all places and the key") {
    const auto meter = new_meter();
    const auto task = make_task(corridor(6));
    const auto relaxed = Relaxed::make(*task, task->goal_pos, task->goal_neg, *meter);
    const std::vector<Word> first = pack({0}, 1), far = pack({5}, 1), key = pack({5, 6}, 1);
    const auto landmarks = relaxed->landmarks(first.data());
    REQUIRE(landmarks);
    Atoms atoms;
    for (std::size_t index = 0; index < landmarks->size(); ++index) {
        CHECK((*landmarks)[index].second);
        atoms.insert((*landmarks)[index].first);
    }
    CHECK(atoms == Atoms{0, 1, 2, 3, 4, 5, 6});
    std::vector<Word> shown(landmarks->words()), then(landmarks->words());
    const std::uint32_t at_first = landmarks->follow(first.data(), nullptr, shown.data());
    CHECK(at_first >= 6);  // places 1 to 5 and the key
    // On the way: place 5 was shown, place 0 is a goal that has to hold again.
    CHECK(landmarks->follow(far.data(), shown.data(), then.data()) <= at_first);
    CHECK(landmarks->follow(key.data(), then.data(), shown.data()) < at_first);
}

TEST_CASE("every plan shows every landmark") {
    const auto meter = new_meter();
    int compared = 0;
    for (std::uint64_t seed = 0; seed < 80; ++seed) {
        CAPTURE(seed);
        const auto task = make_task(random_task(seed, true));
        if (shortest_plan(*task) == kNoPlan) continue;
        const auto relaxed = Relaxed::make(*task, task->goal_pos, task->goal_neg, *meter);
        const std::vector<Word> first = pack(first_state(*task), words_for(task->atom_count));
        const auto landmarks = relaxed->landmarks(first.data());
        if (!landmarks) continue;
        for (std::size_t index = 0; index < landmarks->size(); ++index) {
            // Without the states that show the landmark, the goal is out of reach.
            const auto [atom, holds] = (*landmarks)[index];
            std::set<Atoms> seen = {first_state(*task)};
            std::vector<Atoms> queue = {first_state(*task)};
            const auto shows = [&, a = atom, h = holds](const Atoms& state) {
                return state.contains(a) == h;
            };
            if (shows(queue[0])) continue;
            bool avoided = satisfies(*task, queue[0]);
            while (!queue.empty() && !avoided) {
                const Atoms state = queue.back();
                queue.pop_back();
                for (std::size_t op = 0; op < task->operator_count(); ++op) {
                    if (!applies(*task, state, op)) continue;
                    const Atoms child = apply(*task, state, op);
                    if (shows(child) || !seen.insert(child).second) continue;
                    avoided = avoided || satisfies(*task, child);
                    queue.push_back(child);
                }
            }
            CHECK_FALSE(avoided);
            ++compared;
        }
    }
    CHECK(compared > 5);
}

TEST_CASE("without memory there are no relaxed plans, and nothing stays charged") {
    const auto meter = new_meter(100);
    const auto task = make_task(corridor(50));
    CHECK(Relaxed::make(*task, task->goal_pos, task->goal_neg, *meter) == nullptr);
    CHECK(meter->bytes() == 0);
}
