"""Tensors as native code takes them."""

from __future__ import annotations

from typing import Any

from torch import Tensor


def flat_view(tensor: Tensor) -> Any:
    """All numbers of a tensor in a row, in the order they have in memory, and in the same memory."""
    tensor = tensor.detach()
    return tensor.as_strided((tensor.numel(),), (1,)).numpy()
