// What the tests of the kernels share: tasks written in code, random tasks, and slow, literal twins.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "core/meter.hpp"
#include "core/task.hpp"
#include "state/bits.hpp"
#include "state/operators.hpp"

namespace widthwise::tests {

using Ids = std::vector<std::uint32_t>;
using Atoms = std::set<std::uint32_t>;  // a state, as the twins have it

inline constexpr double kForever = std::numeric_limits<double>::infinity();
inline constexpr std::uint64_t kAllNodes = ~std::uint64_t{0};

inline std::shared_ptr<Meter> new_meter(std::uint64_t bytes = std::uint64_t{1} << 30,
                                        std::function<bool()> outside = {}) {
    return std::make_shared<Meter>(kForever, bytes, std::move(outside));
}

struct ConditionalEffect {
    Ids pos, neg;
    std::uint32_t atom;
    bool adds;
};

struct Operator {
    Ids pre_pos, pre_neg, add, del;
    double cost = 1.0;
    std::vector<ConditionalEffect> effects = {};
};

struct Axiom {
    std::uint32_t head;
    Ids pos, neg;
    std::uint32_t layer = 0;
};

struct Description {
    std::uint32_t atom_count = 0;
    std::vector<Operator> operators = {};
    Ids init = {}, goal_pos = {}, goal_neg = {};
    std::vector<Axiom> axioms = {};
};

std::shared_ptr<const Task> make_task(const Description& description);

// A row of `length` places with a key at the far end: fetch it and come back. The atoms are the places, then
// "has the key"; the operators are the steps to the right, the steps to the left, and taking the key.
Description corridor(std::uint32_t length);
// Boxes that each have to be moved from room 0 to room 1, one at a time, by a robot with one hand.
Description boxes(std::uint32_t count);
// A random task; with negative conditions, conditional effects and axioms if `rich`.
Description random_task(std::uint64_t seed, bool rich);

// The numbers of a generator that is the same everywhere.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint32_t below(std::uint32_t bound) {
        state_ += 0x9e3779b97f4a7c15ULL;
        return static_cast<std::uint32_t>(mix(state_) % bound);
    }
    float number() { return static_cast<float>(below(2001)) / 1000.0F - 1.0F; }  // -1 .. 1
    // Some of the numbers below `bound`, ascending.
    Ids some(std::uint32_t bound, std::uint32_t most) {
        std::set<std::uint32_t> chosen;
        for (std::uint32_t count = below(most + 1); count > 0; --count) chosen.insert(below(bound));
        return {chosen.begin(), chosen.end()};
    }

private:
    std::uint64_t state_;
};

// Packed states and sets.
std::vector<Word> pack(const Atoms& atoms, std::size_t words);
Atoms unpack(std::span<const Word> words, std::size_t bits);

// The twins: the semantics of a task, as core/task.hpp states it.
bool applies(const Task& task, const Atoms& state, std::size_t op);
Atoms derive(const Task& task, Atoms state);
Atoms apply(const Task& task, const Atoms& state, std::size_t op);
Atoms first_state(const Task& task);
bool satisfies(const Task& task, const Atoms& state);
// Whether the steps can be taken from the first state and end in a goal state.
bool valid_plan(const Task& task, const Ids& steps);
// The length of a shortest plan by breadth-first search over all states; none if there is no plan.
std::uint32_t shortest_plan(const Task& task);
inline constexpr std::uint32_t kNoPlan = 0xffffffffU;

}  // namespace widthwise::tests
