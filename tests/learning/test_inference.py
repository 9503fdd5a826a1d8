"""What searches ask of a network, computed natively, against the network itself in torch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from test_native_forward import KERNELS  # type: ignore[import-not-found]

from widthwise.learning.inference import LARGEST, Inference
from widthwise.learning.input_format import InputFormat
from widthwise.learning.network import HIDDEN, Network
from widthwise.learning.support import Support

# Sides that are no multiple of a stride, places that are no multiple of a block, one channel and several, a vector.
FORMATS = [
    InputFormat((84, 84, 4), True),
    InputFormat((37, 22, 1), True),
    InputFormat((20, 21, 3), True),
    InputFormat((7,), False),
]


def observations(form: InputFormat, rows: int) -> Any:
    rng = np.random.default_rng(rows)
    drawn = rng.integers(0, 256, (rows, *form.shape)) if form.image else rng.normal(size=(rows, *form.shape))
    drawn[rng.random(drawn.shape) < 0.3] = 0  # what is 0 is skipped, and must not matter
    return drawn.astype(form.dtype)


def trained(form: InputFormat, actions: int, support: Support, *, raw_input: bool = False) -> Network:
    """A network whose averages, scales and heads are not those of the beginning."""
    network = Network(form, actions, support, seed=3, raw_input=raw_input)
    network.calibrate(torch.from_numpy(observations(form, 32)))
    generator = torch.Generator().manual_seed(5)
    with torch.no_grad():
        for head in (network.policy, network.value):
            head.weight.copy_(torch.randn(head.weight.shape, generator=generator) / 4)
            head.bias.copy_(torch.randn(head.bias.shape, generator=generator))
        for norm in network.norms:
            norm.weight.copy_(1 + torch.randn(norm.weight.shape, generator=generator) / 8)  # type: ignore[arg-type, operator]
            norm.bias.copy_(torch.randn(norm.bias.shape, generator=generator) / 8)  # type: ignore[arg-type, operator]
    return network.eval()


@pytest.mark.parametrize("raw_input", [False, True], ids=["scaled", "raw"])
@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("form", FORMATS, ids=str)
def test_says_what_the_network_says(form: InputFormat, kernels: str, raw_input: bool) -> None:
    support = Support(-3.0, 3.0, 201, rescaled=True)
    network = trained(form, 18, support, raw_input=raw_input)
    seen = observations(form, 5)
    result = Inference(network, kernels)(list(seen))
    if form.image:
        assert network.scaled(torch.from_numpy(seen)).max() == (seen.max() if raw_input else seen.max() / 255)
    with torch.no_grad():  # in 64 bits, so that only one side rounds
        hidden, policy, value = network.double()(network.scaled(torch.from_numpy(seen)).double())
    means = support.value(torch.softmax(value, 1).numpy() @ support.points)
    for row, item in enumerate(result):
        assert isinstance(item.features, bytes)
        bits = np.frombuffer(item.features, np.uint8)
        assert len(bits) == HIDDEN and set(bits.tolist()) == {0, 1}
        sure = (hidden[row] > 1e-4).numpy()  # rounding may tip what is at 0
        assert bits[sure].all() and bits[hidden[row].numpy() == 0].mean() < 0.02
        assert item.prior == pytest.approx(torch.softmax(policy[row], 0).tolist(), abs=1e-5)
        assert item.value == pytest.approx(means[row].item(), abs=1e-3)


@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("form", FORMATS, ids=str)
def test_a_state_is_judged_alike_alone_and_among_others(form: InputFormat, kernels: str) -> None:
    inference = Inference(trained(form, 6, Support()), kernels)
    seen = list(observations(form, 9))
    together = inference(seen)
    assert together == [inference([item])[0] for item in seen]
    assert together[::-1] == inference(seen[::-1])


@pytest.mark.parametrize("form", FORMATS, ids=str)
def test_begins_without_preference_and_then_follows_the_network(form: InputFormat) -> None:
    network = Network(form, 5, Support(), seed=1)
    inference = Inference(network)
    seen = observations(form, 16)
    first = inference(list(seen))
    assert [item.version for item in first] == [0] * 16
    assert all(item.prior == pytest.approx([0.2] * 5) and item.value == pytest.approx(0.0, abs=1e-12) for item in first)
    optimiser = torch.optim.SGD(network.parameters(), 0.1)
    for _ in range(3):
        hidden, policy, value = network(network.scaled(torch.from_numpy(seen)))
        optimiser.zero_grad()
        (policy[:, 0].mean() - value[:, -1].mean() + hidden.mean()).backward()
        optimiser.step()
    assert inference(list(seen)) == first  # not before it is told
    inference.update(3)
    network.eval()
    with torch.no_grad():
        wanted = torch.softmax(network(network.scaled(torch.from_numpy(seen)))[1], 1).tolist()
    result = inference(list(seen))
    assert [item.version for item in result] == [3] * 16
    assert [item.prior for item in result] == [pytest.approx(item, abs=1e-4) for item in wanted]
    assert result != first


def test_the_order_of_weights_in_memory_does_not_matter() -> None:
    network = trained(FORMATS[0], 6, Support())
    seen = list(observations(FORMATS[0], 2))
    before = Inference(network)(seen)
    network.to(memory_format=torch.contiguous_format)  # type: ignore[call-overload]
    assert Inference(network)(seen) == before


def test_more_observations_than_there_is_room_for() -> None:
    inference = Inference(Network(FORMATS[-1], 2, Support()))
    seen = list(observations(FORMATS[-1], LARGEST + 3))
    assert inference(seen) == [inference([item])[0] for item in seen]
