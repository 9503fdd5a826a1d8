"""The network and the replay memory of a run, made from its configuration, and the threads that train them."""

from __future__ import annotations

from widthwise.learning.input_format import InputFormat
from widthwise.learning.network import Network
from widthwise.learning.replay_memory import ReplayMemory, Sampling
from widthwise.learning.support import Support
from widthwise.training.configuration import Configuration


def new_network(config: Configuration, input_format: InputFormat, actions: int, support: Support) -> Network:
    """The network with its first weights, which the seed of the run gives."""
    learning = config.learning
    return Network(
        input_format,
        actions,
        support,
        config.seed,
        momentum=learning.momentum,
        smooth=learning.smooth,
        zero_heads=learning.zero_heads,
        raw_input=learning.raw_input,
        demonstration=learning.self_imitation and learning.archive > 0,
    )


def new_memory(config: Configuration, input_format: InputFormat) -> ReplayMemory:
    """The empty replay memory, with the sampling that the settings describe."""
    learning = config.learning
    sampling = Sampling(
        learning.demonstration_share,
        learning.tree_share,
        learning.tree_values,
        learning.bootstrap,
        learning.shift,
        config.planning.discount,
        learning.tree_targets > 0,
    )
    return ReplayMemory(input_format, learning.replay, learning.batch, config.seed, sampling)


def use_threads(count: int) -> None:
    """Let torch use this many threads for updates; other trainers in this process may use others."""
    import torch

    if torch.get_num_threads() != count:
        torch.set_num_threads(count)
