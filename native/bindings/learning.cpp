// Python's view of what learning computes natively.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

#include "bindings/bindings.hpp"
#include "learning/forward.hpp"
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

using widthwise::Forward;
template <typename Number>
using Rows = nb::ndarray<Number, nb::c_contig, nb::device::cpu>;

widthwise::Kernels kernels(const std::string& name) {
    if (name == "best") return widthwise::best_kernels();
    if (name == "plain") return widthwise::plain_kernels();
#ifdef __x86_64__
    if (name == "avx2" && widthwise::has_avx2()) return widthwise::avx2_kernels();
    if (name == "avx512" && widthwise::has_avx512()) return widthwise::avx512_kernels();
#endif
    throw std::invalid_argument("this machine has no kernels of the name " + name);
}

void forward(Forward& self, const nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>& inputs,
             std::size_t count, const Rows<std::uint8_t>& active, const Rows<float>& policy,
             const Rows<double>& value) {
    const Forward::Found found{
        {active.data(), active.size()}, {policy.data(), policy.size()}, {value.data(), value.size()}};
    const bool bytes = inputs.dtype() == nb::dtype<std::uint8_t>();
    if (!bytes && inputs.dtype() != nb::dtype<float>())
        throw nb::type_error("inputs are bytes or 32-bit floats");
    if (bytes)
        self(std::span{static_cast<const std::uint8_t*>(inputs.data()), inputs.size()}, count, found);
    else
        self(std::span{static_cast<const float*>(inputs.data()), inputs.size()}, count, found);
}

}  // namespace

void bind_learning(nb::module_& module) {
    module.def("rmsprop", &rmsprop, "weights"_a.noconvert(), "gradient"_a.noconvert(),
               "squares"_a.noconvert(), "rate"_a, "decay"_a, "epsilon"_a,
               nb::sig("def rmsprop(weights: object, gradient: object, squares: object, rate: float, "
                       "decay: float, epsilon: float) -> None"),
               "One step of RMSprop; weights, gradient and running squares are rows of 32-bit floats.");
    nb::class_<Forward>(module, "Forward", "The network's forward pass for the few states of a search.")
        .def(
            "__init__",
            [](Forward* self, std::size_t rows, std::size_t columns, std::size_t channels, std::size_t room,
               const std::string& name) {
                new (self) Forward({rows, columns, channels}, room, kernels(name));
            },
            "rows"_a, "columns"_a, "channels"_a, "room"_a, "kernels"_a = "best")
        .def("convolution", &Forward::convolution, "side"_a, "stride"_a, "outputs"_a,
             "Add a convolution, which a ReLU follows.")
        .def("dense", &Forward::dense, "outputs"_a, "Add a dense layer, which a ReLU follows.")
        .def("heads", &Forward::heads, "actions"_a, "points"_a,
             "Add the last layer: a policy, and a distribution over the points of a value.")
        .def(
            "set",
            [](Forward& self, std::size_t layer, const Floats& weights, const Floats& scale,
               const Floats& bias) {
                self.set(layer, {weights.data(), weights.size()}, {scale.data(), scale.size()},
                         {bias.data(), bias.size()});
            },
            "layer"_a, "weights"_a.noconvert(), "scale"_a.noconvert(), "bias"_a.noconvert(),
            nb::sig("def set(self, layer: int, weights: object, scale: object, bias: object) -> None"),
            "Give a layer its weights, each output's times its scale; all are rows of 32-bit floats.")
        .def("__call__", &forward, "inputs"_a.noconvert(), "count"_a, "active"_a.noconvert(),
             "policy"_a.noconvert(), "value"_a.noconvert(),
             nb::sig("def __call__(self, inputs: object, count: int, active: object, policy: object, "
                     "value: object) -> None"),
             "Evaluate the first inputs: which units of the last hidden layer are active, policy, mean "
             "value.");
}
