// Why a search returned to its caller, and what it has counted so far: the same for every kind of search.
#pragma once

#include <cstdint>

#include "core/meter.hpp"
#include "state/tree.hpp"

namespace widthwise {

enum class Stop : std::uint8_t {
    solved,     // a goal state was generated
    entered,    // a new abstract state was generated
    exhausted,  // nothing is left to expand
    paused,     // the caller asked for a pause after so many nodes
    out_of_nodes,
    out_of_time,
    out_of_memory,
    interrupted,
};

// Why a search stops when the meter says so.
inline Stop stop_of(Halt halt) {
    if (halt == Halt::time) return Stop::out_of_time;
    return halt == Halt::memory ? Stop::out_of_memory : Stop::interrupted;
}

struct Counters {
    std::uint64_t generated = 0;  // all nodes, the root and pruned ones included
    std::uint64_t expanded = 0;
    std::uint64_t pruned = 0;          // without novelty in their region
    std::uint64_t pruned_entries = 0;  // without novelty at the level above
    std::uint32_t depth = 0;           // of the deepest node kept
};

struct Event {
    Stop stop;
    std::uint32_t node = kNone;  // solved, entered: the node
    std::uint32_t level = 0;     // entered: the highest level whose features changed, 0 is the top
};

}  // namespace widthwise
