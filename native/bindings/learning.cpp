// Python's view of what learning computes natively.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "bindings/bindings.hpp"
#include "learning/rmsprop.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Floats = nb::ndarray<float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void rmsprop(const Floats& weights, const Floats& gradient, const Floats& squares, float rate, float decay,
             float epsilon) {
    const widthwise::Rmsprop step{rate, decay, epsilon};
    step.step({weights.data(), weights.size()}, {gradient.data(), gradient.size()},
              {squares.data(), squares.size()});
}

}  // namespace

void bind_learning(nb::module_& module) {
    module.def("rmsprop", &rmsprop, "weights"_a.noconvert(), "gradient"_a.noconvert(),
               "squares"_a.noconvert(), "rate"_a, "decay"_a, "epsilon"_a,
               nb::sig("def rmsprop(weights: object, gradient: object, squares: object, rate: float, "
                       "decay: float, epsilon: float) -> None"),
               "One step of RMSprop; weights, gradient and running squares are rows of 32-bit floats.");
}
