"""The engine is registered before every test of it."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def registered() -> None:
    from unified_planning.environment import get_environment

    import widthwise.up

    widthwise.up.register()
    get_environment().credits_stream = None
