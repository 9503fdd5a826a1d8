// A novelty table as Python holds it.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "bindings/operators.hpp"
#include "bindings/state.hpp"
#include "core/meter.hpp"
#include "novelty/novelty.hpp"

// A novelty table that keeps its meter alive.
struct Table {
    using Word = widthwise::Word;

    std::shared_ptr<widthwise::Meter> meter;
    std::size_t feature_count;
    std::unique_ptr<widthwise::NoveltyTable> table;
    std::shared_ptr<const widthwise::Operators> operators;  // of a table over the features of a task's states
    std::vector<Word> fitted, fitted_before;

    Table(std::shared_ptr<widthwise::Meter> shared_meter, const PyOperators& python, std::uint32_t width)
        : Table(std::move(shared_meter), python.shared->feature_bits(), width) {
        operators = python.shared;
    }
    Table(std::shared_ptr<widthwise::Meter> shared_meter, std::size_t features, std::uint32_t width)
        : meter(std::move(shared_meter)),
          feature_count(features),
          table(widthwise::make_table(*meter, features, width)) {
        if (!table) throw std::bad_alloc();
    }

    std::vector<Word> pack(const std::vector<std::uint32_t>& features) const {
        std::vector<Word> words(std::max<std::size_t>(1, widthwise::words_for(feature_count)), 0);
        for (const std::uint32_t feature : features) {
            if (feature >= feature_count) throw nanobind::index_error("a feature is out of range");
            widthwise::set_bit(words.data(), feature);
        }
        return words;
    }
    const Word* check(const State& state, std::vector<Word>& into) const {
        if (operators) return words_of(*operators, state, into);
        if (state.words.size() < widthwise::words_for(feature_count))
            throw nanobind::value_error("the state is of another task");
        return state.words.data();
    }
    const Word* check(const State& state) { return check(state, fitted); }
    const Word* check_before(const State* state) { return state ? check(*state, fitted_before) : nullptr; }
    void insert(const Word* before, const Word* state) {
        if (!table->insert(before, state)) throw std::bad_alloc();
    }
    bool take(const Word* before, const Word* state) {
        if (!table->novel(before, state)) return false;
        insert(before, state);
        return true;
    }
};
