// Random walks along relaxed plans, after the Monte-Carlo planners of Nakhost and Müller (2009, 2012): from a
// state short walks are tried, and the first that ends in a state with a shorter relaxed plan is kept. Most
// steps are operators of the relaxed plan of the state where the walks begin. When none of them helps, the
// search goes back to some state on one of the best ways so far, and tries from there.
//
// It looks closely at few states and remembers only the ways it kept, so it finds plans among dead ends that
// a best-first search would have to exhaust, such as those of resources that run out. It proves nothing: it
// ends by itself only where the root has no relaxed plan or no successor.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "best_first/best_first.hpp"

namespace widthwise {

struct WalksOptions : BestFirstOptions {
    std::uint64_t seed = 0;
    std::uint32_t walks = 10;   // from one state, before the search goes back
    std::uint32_t longest = 8;  // the first walk has one step, later ones have more, none more than this
    std::uint32_t ways = 10;    // how many are remembered, to go back to
};

class Walks final : public BestFirst {
public:
    // Throws std::invalid_argument if there are no walks, no steps or no ways.
    Walks(std::shared_ptr<const Operators> operators, std::shared_ptr<Meter> meter, CountedGoal goal,
          WalksOptions options);

    // The shortest relaxed plan so far.
    std::uint32_t best() const { return best_; }

protected:
    bool open_root() override;
    Event run() override;

private:
    struct Way {
        std::uint32_t end;
        std::uint32_t length;  // of the relaxed plan there
    };

    std::uint32_t below(std::uint32_t bound);
    void stand(std::uint32_t node);
    // False: out of memory.
    bool go_back();
    bool begin_walk();
    std::optional<std::uint32_t> choose();
    std::optional<Event> end_walk();

    WalksOptions options_;
    std::uint64_t random_;
    std::vector<Way> ways_;
    std::uint32_t at_ = 0;             // where the walks begin
    std::uint32_t length_ = 0;         // of the relaxed plan there
    std::vector<Word> in_plan_;        // by rank
    std::vector<std::uint32_t> plan_;  // ranks
    std::uint32_t tried_ = 0;          // walks from there
    bool walking_ = false;
    std::size_t steps_wanted_ = 0;
    std::vector<std::uint32_t> steps_;   // of the walk under way, ranks
    std::vector<Word> here_;             // its state
    std::vector<std::uint32_t> choice_;  // what applies there, first what the relaxed plan has
    std::uint32_t best_ = ~std::uint32_t{0};
};

}  // namespace widthwise
