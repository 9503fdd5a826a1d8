"""One network, its optimiser, and what an update does."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from widthwise.core.errors import UsageError, WidthwiseError
from widthwise.learning.errand import Errand
from widthwise.learning.gradients import DirectGradients
from widthwise.learning.inference import Inference
from widthwise.learning.learning_settings import LearningSettings
from widthwise.learning.losses import cross_entropy
from widthwise.learning.network import Network
from widthwise.learning.replay_memory import Floats, ReplayMemory
from widthwise.learning.rmsprop import RMSprop, clipping

_Drawn = tuple[Tensor, Tensor, Floats, Floats]


class TrainingDivergedError(WidthwiseError):
    """A loss or a gradient is not a finite number; the weights are still those from before."""


@dataclass(frozen=True, slots=True)
class Losses:
    """The losses of one update, and the norm of its gradient."""

    policy: float
    value: float
    l2: float
    gradient: float  # its norm before clipping


class Updater:
    """Trains a network from a replay memory, on a device; `inference` is the copy that searches use, on the processor.

    Raises `UsageError` if there is no such device.
    """

    def __init__(self, network: Network, settings: LearningSettings, device: str = "cpu") -> None:
        if device == "cuda" and not torch.cuda.is_available():
            raise UsageError("torch finds no CUDA device on this machine: train on the device cpu")
        network.move(device)
        self.network, self.settings, self.device = network, settings, device
        self.updates = 0
        self.inference = Inference(network)
        self._next: Errand[_Drawn] | None = None  # the batch of the next update
        self.direct = DirectGradients(network) if device == "cpu" else None
        self.optimiser = RMSprop(
            network.parameters(),
            settings.learning_rate,
            settings.decay,
            settings.epsilon,
            weights=network.weights(),
            factor=settings.l2,
        )

    def begin(self, seed: int) -> None:
        """Forget everything that was learned, and begin with other weights."""
        self._drop_next()
        self.network.begin(seed)
        self.optimiser.forget()
        self.publish()

    def learn(self, replay: ReplayMemory, following: int = 0) -> Losses:
        """One update from one batch.

        Args:
            replay: where the batch is drawn from.
            following: how many updates from the same memory, unchanged, follow at once. If there are two threads, the
                batch of the next one is drawn in parallel with this one.

        Returns:
            The losses.

        Raises:
            TrainingDivergedError: a loss or the gradient is not a finite number.
        """
        settings, aside = self.settings, self.direct.aside if self.direct is not None else None
        seen, policies, returns, weights = self._batch(replay) if self._next is None else self._next.result()
        # Here and not with the batch: a fitted support may change weights, which the update before still uses.
        wanted = self._distributions(returns, weights)
        self._next = Errand(aside, lambda: self._batch(replay)) if aside is not None and following else None
        if self.direct is not None and self.direct.usable():
            policy_loss, value_loss, slopes = self.direct(seen, policies, wanted, settings.value_factor)
            gradient = self.optimiser.gradient(slopes)
        else:
            policy_loss, value_loss = self._by_autograd(seen, policies, wanted)
            gradient = self.optimiser.gradient()
        losses = Losses(policy_loss, value_loss, gradient.l2, gradient.norm)
        if not all(map(math.isfinite, (losses.policy, losses.value, losses.gradient))):
            raise TrainingDivergedError(
                f"training diverged at update {self.updates + 1}: policy loss {losses.policy:g}, value loss "
                f"{losses.value:g}, gradient {losses.gradient:g}; use a smaller learning rate"
            )
        self.optimiser.step(gradient, clipping(gradient.norm, settings.clip))
        self.updates += 1
        return losses

    def _batch(self, replay: ReplayMemory) -> _Drawn:
        """Scaled observations and policies on the device, returns, and their weights in the loss of the value."""
        batch = replay.sample(self.inference.values)
        scaled = self.network.scaled(torch.from_numpy(batch.observations).to(self.device))
        if scaled.data_ptr() == batch.observations.ctypes.data:
            scaled = scaled.clone()  # the memory fills the same buffer for every batch
        return scaled, torch.from_numpy(batch.targets).to(self.device), batch.returns, batch.value_weights

    def _distributions(self, returns: Floats, weights: Floats) -> Tensor:
        """The distributions of the value to learn, on the device, times the weights of their rows."""
        if self.network.support.fitted:
            self.network.fit(returns)
        return torch.from_numpy(self.network.two_hot(returns) * weights[:, None]).to(self.device)

    def _drop_next(self) -> None:
        """Forget a batch that was drawn before an error ended the updates."""
        if self._next is not None:
            self._next.drop()
            self._next = None

    def _by_autograd(self, seen: Tensor, policies: Tensor, wanted: Tensor) -> tuple[float, float]:
        """The losses of policy and value; leaves the gradients at the parameters. On any device."""
        self.network.train()
        _, policy, value = self.network(seen)
        policy_loss, value_loss = cross_entropy(policies, policy), cross_entropy(wanted, value)
        self.optimiser.zero_grad()
        (policy_loss + self.settings.value_factor * value_loss).backward()  # type: ignore[no-untyped-call]
        return policy_loss.item(), value_loss.item()

    def publish(self) -> None:
        """Let searches use the network as it is now."""
        self.inference.update(self.updates)

    def finite(self) -> bool:
        """Whether every weight is still a number."""
        return all(bool(torch.isfinite(tensor).all()) for tensor in self.network.state_dict().values())

    def state(self) -> dict[str, Any]:
        """Network, optimiser and counter as plain data and tensors."""
        return {
            "network": {
                name: tensor.detach().to("cpu", copy=True) for name, tensor in self.network.state_dict().items()
            },
            "optimiser": self.optimiser.state_dict(),
            "updates": self.updates,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Return to a state."""
        self._drop_next()
        self.network.load_state_dict(state["network"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.updates = state["updates"]
        self.publish()
