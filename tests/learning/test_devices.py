"""Training as operations of torch, which devices other than the processor use, against the native one."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from learning_tools import walker  # noqa: E402
from widthwise.core.errors import UsageError  # noqa: E402
from widthwise.learning.renorm import Renorm  # noqa: E402
from widthwise.training.transport import ActorOptions  # noqa: E402


def test_renormalisation_by_torch_is_the_native_one() -> None:
    for shape in ((8, 16), (4, 32, 5, 5)):
        norms = [Renorm(shape[1], 0.2), Renorm(shape[1], 0.2)]
        norms[1].native = False
        for step in range(3):
            x = torch.randn(shape, generator=torch.Generator().manual_seed(step)) * 3 + 1
            outputs, gradients = [], []
            for norm in norms:
                inputs = x.clone().requires_grad_()
                out = norm(inputs)
                (out * torch.linspace(0, 1, out.numel()).view(out.shape)).sum().backward()
                outputs.append(out.detach())
                gradients.append((inputs.grad, norm.weight.grad, norm.bias.grad))
                norm.zero_grad()
            assert torch.allclose(*outputs, atol=1e-4)
            assert all(torch.allclose(a, b, atol=1e-3, rtol=1e-3) for a, b in zip(*gradients, strict=True))
        assert torch.allclose(norms[0].running_mean, norms[1].running_mean, atol=1e-5)
        assert torch.allclose(norms[0].running_var, norms[1].running_var, rtol=1e-4)


def test_updates_by_torch_are_the_native_ones() -> None:
    trainers = [walker(patient=False), walker(patient=False)]
    for norm in trainers[1].updater.network.norms:
        norm.native = False  # type: ignore[assignment]
    trainers[1].updater.optimiser.native = False
    for trainer in trainers:
        while trainer.updater.updates < 5:
            trainer.round()
    first, second = (trainer.updater.network.state_dict() for trainer in trainers)
    assert all(torch.allclose(first[name], second[name], atol=1e-4) for name in first)
    assert np.isclose(trainers[0].losses.policy, trainers[1].losses.policy, atol=1e-4)  # type: ignore[union-attr]


def test_a_device_that_is_not_there_is_refused() -> None:
    with pytest.raises(UsageError, match="must be cpu or cuda, not 'tpu'"):
        ActorOptions(device="tpu")
    if not torch.cuda.is_available():
        from learning_tools import Walk
        from widthwise.training.configuration import Configuration
        from widthwise.training.trainer import Trainer

        with pytest.raises(UsageError, match="torch finds no CUDA device"):
            Trainer(Walk, Configuration(walker().config.planning), device="cuda")
