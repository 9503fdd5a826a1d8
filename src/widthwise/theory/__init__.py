"""The theory of the paper as calls: bounds, splitting features, the restricted IW of Theorem 2, the Gray-code table."""

from widthwise.theory.bounds import flat_states, hierarchical_states, novel_states
from widthwise.theory.gray_code import GrayCodeRow, GrayCodeTable, gray_code, gray_code_table
from widthwise.theory.restricted_iw import Theorem2, hierarchical_iw, restricted_iw, theorem_2
from widthwise.theory.splitting import Explorable, is_splitting

__all__ = [
    "Explorable",
    "GrayCodeRow",
    "GrayCodeTable",
    "Theorem2",
    "flat_states",
    "gray_code",
    "gray_code_table",
    "hierarchical_iw",
    "hierarchical_states",
    "is_splitting",
    "novel_states",
    "restricted_iw",
    "theorem_2",
]
