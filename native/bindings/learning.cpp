// Python's view of what learning computes natively.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "bindings/bindings.hpp"
#include "learning/forward.hpp"
#include "learning/renorm.hpp"
#include "learning/rmsprop.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Floats = nb::ndarray<float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::span<float> row(const Floats& floats) {
    return {floats.data(), floats.size()};
}

void rmsprop(const Floats& weights, const Floats& gradient, float l2, float scale, const Floats& running,
             float rate, float decay, float epsilon) {
    const nb::gil_scoped_release free;
    const widthwise::Rmsprop step{rate, decay, epsilon};
    step.step(row(weights), {row(gradient), l2}, scale, row(running));
}

std::pair<double, double> squares(const Floats& weights, const Floats& gradient, float l2) {
    const nb::gil_scoped_release free;
    const auto found = widthwise::squares(row(weights), {row(gradient), l2});
    return {found.gradient, found.weights};
}

using Plane = nb::ndarray<float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

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

// How a batch was normalised, in four rows.
widthwise::Correction correction(const Plane& rows, std::size_t units) {
    if (rows.shape(0) != 4 || rows.shape(1) != units)
        throw std::invalid_argument("a correction has four rows of one number for every unit");
    const std::span<float> all{rows.data(), rows.size()};
    return {all.subspan(0, units), all.subspan(units, units), all.subspan(2 * units, units),
            all.subspan(3 * units, units)};
}

void bind_renorm(nb::module_& module) {
    module.def(
        "renorm",
        [](const Floats& x, const std::array<Floats, 4>& units, const std::array<float, 4>& settings,
           const Floats& out, const Plane& corrected, const std::string& name) {
            const nb::gil_scoped_release free;
            const auto& [weight, bias, mean, variance] = units;
            const auto [momentum, epsilon, ratio, shift] = settings;
            widthwise::Renorm{momentum, epsilon, ratio, shift}.forward(
                row(x), {row(weight), row(bias), row(mean), row(variance)}, kernels(name), row(out),
                correction(corrected, weight.size()));
        },
        "x"_a.noconvert(), "units"_a.noconvert(), "settings"_a, "out"_a.noconvert(),
        "correction"_a.noconvert(), "kernels"_a = "best",
        nb::sig("def renorm(x: object, units: object, settings: tuple[float, float, float, float], out: "
                "object, correction: object, kernels: str = 'best') -> None"),
        "Normalise a batch as in use, and rectify it. `units` are weights, biases, and average means and "
        "variances, which follow; `settings` are momentum, epsilon, and the bounds of ratio and shift.");
    module.def(
        "renorm_backward",
        [](const std::array<Floats, 3>& passed, const Floats& weight, const Plane& corrected,
           const std::array<Floats, 3>& gradients, const std::string& name) {
            const nb::gil_scoped_release free;
            const auto& [x, out, gradient] = passed;
            const auto& [of_x, of_weight, of_bias] = gradients;
            widthwise::renorm_backward({row(x), row(out), row(gradient)}, row(weight),
                                       correction(corrected, weight.size()), kernels(name),
                                       {row(of_x), row(of_weight), row(of_bias)});
        },
        "passed"_a.noconvert(), "weight"_a.noconvert(), "correction"_a.noconvert(), "gradients"_a.noconvert(),
        "kernels"_a = "best",
        nb::sig("def renorm_backward(passed: object, weight: object, correction: object, gradients: object, "
                "kernels: str = 'best') -> None"),
        "Gradients of a batch, its weights and biases, from inputs, outputs and the outputs' gradient.");
}

}  // namespace

void bind_learning(nb::module_& module) {
    module.def("rmsprop", &rmsprop, "weights"_a.noconvert(), "gradient"_a.noconvert(), "l2"_a, "scale"_a,
               "running"_a.noconvert(), "rate"_a, "decay"_a, "epsilon"_a,
               nb::sig("def rmsprop(weights: object, gradient: object, l2: float, scale: float, running: "
                       "object, rate: float, decay: float, epsilon: float) -> None"),
               "One step of RMSprop against the gradient plus l2 times the weights, times a scale; weights, "
               "gradient and running squares are rows of 32-bit floats.");
    module.def("squares", &squares, "weights"_a.noconvert(), "gradient"_a.noconvert(), "l2"_a,
               nb::sig("def squares(weights: object, gradient: object, l2: float) -> tuple[float, float]"),
               "The sum of squares of the gradient plus l2 times the weights, and that of the weights.");
    bind_renorm(module);
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
               const Floats& bias) { self.set(layer, row(weights), row(scale), row(bias)); },
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
