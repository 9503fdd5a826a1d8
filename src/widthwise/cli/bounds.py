"""`widthwise bounds`: bounds on the number of novel states of a width search."""

from __future__ import annotations

import argparse
import sys

_DESCRIPTION = """\
Print N(n,d,w), the largest number of states that IW(w) can find novel if a state has
N features of D values each (Theorem 1 of the paper; exact). Each --high adds a level
above. Then the bound of the hierarchy is printed (Theorem 3, the product over its
levels) and the bound of the flat search with all features and the sum of the widths.
--table prints the table of the paper's appendix: all states in Gray code, an order in
which IW(w) reaches the bound."""

_EPILOG = """\
examples, the first two with the memory of an Atari console, 128 bytes of 256 values:
  widthwise bounds 128 256 2                  IW(2): about 5e8 novel states
  widthwise bounds 127 256 1 --high 1 256 1   HIW(1,1), one byte above: about 8e6
  widthwise bounds 4 2 2 --table              the table of the appendix

A task in PDDL has one feature of 2 values, true and false, for each atom: N is the number of
atoms, D is 2. This counts falsehood as a value, as novelty does for atoms that occur negated.
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command with the main program."""
    parser = subparsers.add_parser(
        "bounds",
        help="print bounds on the number of novel states",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("features", type=_number, metavar="N", help="number of features (of the lowest level)")
    parser.add_argument("values", type=_number, metavar="D", help="number of values of each feature")
    parser.add_argument("width", type=_number, metavar="W", help="the width")
    parser.add_argument(
        "--high",
        nargs=3,
        type=_number,
        action="append",
        default=[],
        metavar=("N", "D", "W"),
        help="a level above, highest level first; may be repeated",
    )
    parser.add_argument(
        "--table",
        action="store_true",
        help="print all states in Gray code with the novelty test; new tuples are marked with *",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the bound, or both bounds and their ratio."""
    from widthwise.core.errors import UsageError
    from widthwise.theory import flat_states, gray_code_table, hierarchical_states, novel_states

    # Bounds may have more digits than Python prints by default.
    sys.set_int_max_str_digits(0)
    levels: list[tuple[int, int, int]] = [(n, d, w) for n, d, w in args.high]
    levels.append((args.features, args.values, args.width))
    if args.table:
        if len(levels) > 1:
            raise UsageError("--table is for one level: leave out --high")
        print(gray_code_table(*levels[0]))
    if len(levels) == 1:
        print(_line(f"N({','.join(map(str, levels[0]))})", novel_states(*levels[0])))
        return 0
    widths = [w for _, _, w in levels]
    features, values = sum(n for n, _, _ in levels), max(d for _, d, _ in levels)
    hierarchy, flat = hierarchical_states(levels), flat_states(levels)
    names = [f"HIW({','.join(map(str, widths))})", f"IW({sum(widths)})"]
    formulas = [
        " * ".join(f"N({','.join(map(str, level))})" for level in levels),
        f"N({features},{values},{sum(widths)})",
    ]
    for name, formula, bound in zip(names, formulas, (hierarchy, flat), strict=True):
        print(f"{name:<{max(map(len, names))}}  {_line(f'{formula:<{max(map(len, formulas))}}', bound)}")
    larger, smaller = max(hierarchy, flat), min(hierarchy, flat)
    how = "smaller" if hierarchy <= flat else "larger"
    tenths = larger * 10 // smaller
    ratio = f"{tenths // 10}.{tenths % 10}" if tenths < 1000 else _about(tenths // 10)
    print(f"the bound of the hierarchy is {ratio} times {how}")
    return 0


def _line(formula: str, bound: int) -> str:
    return f"{formula} = {bound}" + (f"  (about {_about(bound)})" if bound >= 10**6 else "")


def _about(number: int) -> str:
    """A number in short; done with integers, because the bounds soon pass what a float can hold."""
    if number < 10**6:
        return f"{number:,}"
    exponent = len(str(number)) - 1
    digits = (number + 5 * 10 ** (exponent - 2)) // 10 ** (exponent - 1)
    if digits >= 100:
        digits, exponent = digits // 10, exponent + 1
    return f"{digits // 10}.{digits % 10}e{exponent}"


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 0")
    return int(text)
