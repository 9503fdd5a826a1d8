// Operators as Python holds them, for all bindings that take them.
#pragma once

#include <memory>

#include "search/operators.hpp"

// What searches share, and scratch memory for calls made by hand.
struct PyOperators {
    std::shared_ptr<const widthwise::Operators> shared;
    widthwise::Expander expander;

    explicit PyOperators(std::shared_ptr<const widthwise::Operators> operators)
        : shared(operators), expander(operators) {}
};
