// A sliding puzzle as a lifted task, built in code: what the native tests ground and search.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/meter.hpp"
#include "core/task.hpp"
#include "ground/ground.hpp"
#include "ground/lifted.hpp"

namespace widthwise::tests {

// Tiles 0 .. tiles - 1 on the first cells of a grid; a tile moves to a free cell beside it. The goal is the
// tiles on the last cells, in reverse order. A derived atom says that the first tile is where it should be.
class Tiles {
public:
    Tiles(std::uint32_t width, std::uint32_t height, std::uint32_t tiles) {
        const std::uint32_t cells = width * height;
        const auto cell = [&](std::uint32_t number) { return static_cast<std::int32_t>(tiles + number); };
        for (std::uint32_t at = 0; at < cells; ++at) {
            if ((at + 1) % width != 0) join(cell(at), cell(at + 1));
            if (at + width < cells) join(cell(at), cell(at + width));
            if (at < tiles) at_.insert(at_.end(), {static_cast<std::int32_t>(at), cell(at)});
            if (at >= tiles) free_.push_back(cell(at));
        }
        std::vector<ground::Object> all_tiles, all_cells;
        for (std::uint32_t tile = 0; tile < tiles; ++tile) all_tiles.push_back(tile);
        for (std::uint32_t number = 0; number < cells; ++number) all_cells.push_back(tiles + number);

        lifted_.object_count = tiles + cells;
        lifted_.predicates = {{2, ground::Kind::fixed},
                              {2, ground::Kind::fixed},
                              {2, ground::Kind::fluent},
                              {1, ground::Kind::fluent},
                              {0, ground::Kind::derived}};
        lifted_.domains = {all_tiles, all_cells};
        lifted_.init = {{}, beside_, at_, free_, {}};
        lifted_.init_count = {0, static_cast<std::uint32_t>(beside_.size() / 2), tiles,
                              static_cast<std::uint32_t>(free_.size()), 0};
        ground::Action move;
        move.parameters = {0, 1, 1};
        move.shown = 3;
        move.precondition = {{kAt, false, {0, 1}}, {kBeside, false, {1, 2}}, {kFree, false, {2}}};
        move.effects = {effect(kAt, true, {0, 1}), effect(kAt, false, {0, 2}), effect(kFree, true, {2}),
                        effect(kFree, false, {1})};
        move.constant_cost = 1.0;
        lifted_.actions.push_back(std::move(move));
        lifted_.axioms.push_back({{kDone, false, {}}, {}, {{kAt, false, {~0, ~cell(cells - 1)}}}});
        for (std::uint32_t tile = 0; tile < tiles; ++tile)
            lifted_.goal.push_back({kAt, false, {~static_cast<std::int32_t>(tile), ~cell(cells - 1 - tile)}});
        lifted_.goal.push_back({kDone, false, {}});
    }
    Tiles(const Tiles&) = delete;
    Tiles& operator=(const Tiles&) = delete;

    // Many threads may ground the same lifted task, each with a meter of its own.
    std::shared_ptr<const Task> ground(Meter& meter) const { return ground::ground(lifted_, meter); }

private:
    static constexpr std::uint32_t kBeside = 1, kAt = 2, kFree = 3, kDone = 4;

    static ground::Effect effect(std::uint32_t predicate, bool negated, std::vector<ground::Term> args) {
        return {{}, {}, {predicate, negated, std::move(args)}};
    }
    void join(std::int32_t one, std::int32_t other) {
        beside_.insert(beside_.end(), {one, other, other, one});
    }

    std::vector<std::int32_t> beside_, at_, free_;
    ground::Lifted lifted_{};
};

}  // namespace widthwise::tests
