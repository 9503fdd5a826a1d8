"""The losses of a batch and their gradients, layer by layer, without autograd.

These are the operations that autograd would call for `Network.forward` and `cross_entropy`, in the same order, so that
the numbers are the same to the last bit; the tests compare the two. Autograd itself, new memory for every result and
the modules of torch around the operations took a tenth of an update.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn

from widthwise import _native
from widthwise.learning.errand import Errand
from widthwise.learning.flat_view import flat_view
from widthwise.learning.network import Network
from widthwise.learning.renorm import RATIO, SHIFT, Renorm

_ATEN = torch.ops.aten


class _Normalised:
    """A layer and its normalisation, with what the forward pass leaves for the backward pass."""

    def __init__(self, layer: nn.Conv2d | nn.Linear, norm: Renorm) -> None:
        self.layer, self.norm, self.units = layer, norm, len(norm.weight)
        self.numbers = tuple(map(flat_view, (norm.weight, norm.bias, norm.running_mean, norm.running_var)))
        self.correction = np.empty((4, self.units), np.float32)
        self.slopes = torch.empty(self.units), torch.empty(self.units)  # of weight and bias of the norm
        self._slope_rows = tuple(map(flat_view, self.slopes))
        self._buffers: dict[str, tuple[Tensor, Any]] = {}
        self.seen = self.sums = self.out = torch.empty(0)
        self.weight_slope = torch.empty(0)
        self._pending: Errand[Tensor] | None = None

    def _buffer(self, name: str, like: Tensor) -> tuple[Tensor, Any]:
        """Memory of the same form as a tensor, the same at every update, and its numbers in a row."""
        held = self._buffers.get(name)
        if held is None or held[0].shape != like.shape or held[0].stride() != like.stride():
            tensor = torch.empty_like(like)
            held = self._buffers[name] = tensor, flat_view(tensor)
        return held

    def forward(self, seen: Tensor) -> Tensor:
        """The outputs; the averages follow the batch."""
        layer, norm = self.layer, self.norm
        if isinstance(layer, nn.Conv2d):
            sums = torch.conv2d(seen, layer.weight, None, layer.stride)
            sums = sums.contiguous(memory_format=torch.channels_last)
        else:
            seen = seen.flatten(1)
            sums = torch.mm(seen, layer.weight.t())
        self.out, out_row = self._buffer("out", sums)
        settings = (norm.momentum, norm.eps, RATIO, SHIFT)
        _native.renorm(flat_view(sums), self.numbers, settings, out_row, self.correction)
        self.seen, self.sums = seen, sums
        return self.out

    def backward(self, slope: Tensor, *, onwards: bool, aside: Executor | None) -> Tensor:
        """The gradient of what the layer has seen, if it is needed; that of the weights is there after `finish`."""
        layer, sums = self.layer, self.sums
        if slope.dim() != sums.dim():
            slope = slope.view(sums.shape)
        if slope.stride() != sums.stride():
            slope = self._buffer("slope", sums)[0].copy_(slope)
        of_sums, row = self._buffer("of sums", sums)
        passed = flat_view(sums), flat_view(self.out), flat_view(slope)
        _native.renorm_backward(passed, self.numbers[0], self.correction, (row, *self._slope_rows))
        if aside is not None and onwards:
            self._pending = Errand(aside, lambda: self._of_weights(of_sums))
        elif isinstance(layer, nn.Conv2d):
            before, self.weight_slope = self._convolution(of_sums, seen=onwards, weights=True)
            return before
        else:
            self.weight_slope = self._of_weights(of_sums)
        if not onwards:
            return slope
        if isinstance(layer, nn.Conv2d):
            return self._convolution(of_sums, seen=True, weights=False)[0]
        return torch.mm(of_sums, layer.weight)

    def finish(self) -> None:
        """Wait for what is computed aside."""
        if self._pending is not None:
            self.weight_slope, self._pending = self._pending.result(), None

    @torch.no_grad()
    def _of_weights(self, of_sums: Tensor) -> Tensor:
        if isinstance(self.layer, nn.Conv2d):
            return self._convolution(of_sums, seen=False, weights=True)[1]
        return torch.mm(of_sums.t(), self.seen)

    def _convolution(self, of_sums: Tensor, *, seen: bool, weights: bool) -> tuple[Tensor, Tensor]:
        """The gradients of what a convolution has seen and of its weights, those that are asked for."""
        layer = cast(nn.Conv2d, self.layer)
        around = (layer.stride, layer.padding, layer.dilation, False, [0, 0], 1)
        of_seen, of_weights, _ = _ATEN.convolution_backward(
            of_sums, self.seen, layer.weight, None, *around, [seen, weights, False]
        )
        return of_seen, of_weights


class DirectGradients:
    """Computes losses and gradients of a network on the processor; keeps the memory that it needs for a batch.

    With `use_second_thread`, another thread computes the gradients of weights that no other gradient depends on, while
    this one continues to the layers before. The numbers are the same.
    """

    def __init__(self, network: Network) -> None:
        self.network = network
        self.aside: Executor | None = None
        self.layers = [
            _Normalised(layer, cast(Renorm, norm)) for layer, norm in zip(network.layers, network.norms, strict=True)
        ]

    def usable(self) -> bool:
        """Whether every layer is normalised in native code."""
        return all(layer.norm.native for layer in self.layers)

    def use_second_thread(self) -> None:
        """Compute on two threads from now on."""
        # Every thread has a number of its own of how many torch and its libraries may use; it decides the rounding.
        same = torch.get_num_threads()
        self.aside = ThreadPoolExecutor(1, "gradients", initializer=lambda: torch.set_num_threads(same))

    def close(self) -> None:
        """End the second thread."""
        if self.aside is not None:
            self.aside.shutdown()
            self.aside = None

    @torch.no_grad()
    def __call__(
        self, seen: Tensor, targets: Tensor, wanted: Tensor, value_factor: float
    ) -> tuple[float, float, Sequence[Tensor]]:
        """Losses and gradients of a batch in training.

        Args:
            seen: scaled observations.
            targets: policies to learn.
            wanted: distributions of the value to learn.
            value_factor: of the value's loss in the sum of both.

        Returns:
            The losses of policy and value, and the gradient of each parameter, in the order of the parameters. The
            memory of the gradients is used again at the next call.
        """
        network, slopes, hidden = self.network, dict[int, Tensor](), seen
        for layer in self.layers:
            hidden = layer.forward(hidden)
        losses: list[float] = []
        before: Tensor | None = None
        for head, target, factor in ((network.policy, targets, 1.0), (network.value, wanted, value_factor)):
            logits = torch.log_softmax(torch.addmm(head.bias, hidden, head.weight.t()), 1)
            losses.append(-float((target * logits).sum(1).mean()))
            share = torch.tensor(-factor) / len(target)
            slope = _ATEN._log_softmax_backward_data(target * share, logits, 1, torch.float32)
            slopes[id(head.weight)], slopes[id(head.bias)] = torch.mm(slope.t(), hidden), slope.sum(0)
            part = torch.mm(slope, head.weight)
            before = part if before is None else before.add_(part)
        assert before is not None
        for number in range(len(self.layers) - 1, -1, -1):
            layer = self.layers[number]
            before = layer.backward(before, onwards=number > 0, aside=self.aside)
        for layer in self.layers:
            layer.finish()
            slopes[id(layer.layer.weight)] = layer.weight_slope
            slopes[id(layer.norm.weight)], slopes[id(layer.norm.bias)] = layer.slopes
        return losses[0], losses[1], [slopes[id(parameter)] for parameter in network.parameters()]
