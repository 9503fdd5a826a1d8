"""Loggers that cost nothing where no program uses `logging`.

The import of `logging` is a fourteenth of the instructions of a small `widthwise solve`. A program that reads messages
has imported it. Where it is not imported, a message has no reader and is dropped.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import logging

_ROOT = "widthwise"


def quiet() -> None:
    """Silence the logger `widthwise` unless the program that imports Widthwise configures logging."""
    module = _logging()
    if module is not None:
        logger = module.getLogger(_ROOT)
        if not logger.handlers:
            logger.addHandler(module.NullHandler())


def _logging() -> Any:
    """The module `logging`; None where it is not imported, or is just being imported."""
    module = sys.modules.get("logging")
    return module if hasattr(module, "NullHandler") and hasattr(module, "getLogger") else None


class LazyLogger:
    """The logger of a module, made when there is something to log and `logging` is in use."""

    def __init__(self, name: str) -> None:
        self.name = name

    def debug(self, text: str, *values: Any) -> None:
        """Log a detail of a run."""
        logger = self._logger()
        if logger is not None:
            logger.debug(text, *values, stacklevel=2)

    def info(self, text: str, *values: Any) -> None:
        """Log how a run ended."""
        logger = self._logger()
        if logger is not None:
            logger.info(text, *values, stacklevel=2)

    def _logger(self) -> logging.Logger | None:
        module = _logging()
        if module is None:
            return None
        quiet()
        logger: logging.Logger = module.getLogger(self.name)
        return logger
