#include "state/precondition_masks.hpp"

#include <algorithm>

namespace widthwise {

namespace {

std::size_t column_count(const Task& task) {
    std::size_t most = 1;
    for (std::size_t op = 0; op < task.operator_count(); ++op) most = std::max(most, task.pre_pos[op].size());
    return most;
}

}  // namespace

bool PreconditionMasks::suit(const Task& task) {
    return task.pre_neg.item_count() == 0 &&
           column_count(task) * words_for(task.operator_count()) <= kMostWords;
}

PreconditionMasks::PreconditionMasks(const Task& task, std::span<const std::uint32_t> order)
    : width_(words_for(order.size())),
      start_(column_count(task) * width_, 0),
      needed_(words_for(task.atom_count), 0) {
    const std::size_t columns = column_count(task);
    std::vector<std::vector<Mask>> masks_of(task.atom_count);
    std::size_t count = 0;
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
        if (order[rank] == kNever) continue;
        const auto needs = task.pre_pos[order[rank]];
        for (std::size_t column = 0; column < columns; ++column) {
            const std::size_t place = column * width_ + rank / 64;
            if (column >= needs.size()) {
                set_bit(start_.data() + column * width_, rank);
                continue;
            }
            auto& masks = masks_of[needs[column]];
            auto mask =
                std::find_if(masks.begin(), masks.end(), [&](const Mask& one) { return one.place == place; });
            if (mask == masks.end()) {
                mask = masks.insert(mask, {place, 0});
                ++count;
            }
            mask->ranks |= Word{1} << (rank & 63);
        }
    }
    masks_.reserve(count);
    for (std::uint32_t atom = 0; atom < task.atom_count; ++atom) {
        begin_.push_back(static_cast<std::uint32_t>(masks_.size()));
        masks_.insert(masks_.end(), masks_of[atom].begin(), masks_of[atom].end());
        if (!masks_of[atom].empty()) set_bit(needed_.data(), atom);
    }
    begin_.push_back(static_cast<std::uint32_t>(masks_.size()));
}

}  // namespace widthwise
