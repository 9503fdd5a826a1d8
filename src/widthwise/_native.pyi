"""Widthwise's kernels: grounding, states, novelty, search."""

import array
from collections.abc import Callable, Iterator, Sequence
import enum
from typing import overload

class Halt(enum.Enum):
    """Why a kernel had to stop before it was done."""

    NONE = 0

    TIME = 1

    MEMORY = 2

    INTERRUPTED = 3

class Meter:
    """What a run may use and has used: seconds and bytes; hears Ctrl-C."""

    def __init__(self, seconds: float | None = None, bytes: int | None = None) -> None: ...
    @property
    def seconds(self) -> float:
        """Seconds since the meter was made."""

    @property
    def bytes(self) -> int:
        """Bytes charged now."""

    @property
    def peak_bytes(self) -> int:
        """The most bytes that were charged at one time."""

    def charge(self, bytes: int) -> bool:
        """Charge memory; False if that would pass the limit."""

    def release(self, bytes: int) -> None:
        """Give charged memory back."""

    def interrupt(self) -> None:
        """Ask every kernel that uses this meter to stop."""

    @property
    def signalled(self) -> bool:
        """
        Whether Ctrl-C asked to stop, and not the owner of the meter by `interrupt`.
        """

    def poll(self) -> Halt:
        """Why to stop now, if at all."""

class GroundedTask:
    """
    A grounded task: atoms, operators, axioms, initial state and goal as numbers.
    """

    @staticmethod
    def build(
        atom_count: int,
        operators: Sequence[
            tuple[
                Sequence[int],
                Sequence[int],
                Sequence[int],
                Sequence[int],
                float,
                Sequence[tuple[Sequence[int], Sequence[int], int, bool]],
            ]
        ],
        axioms: Sequence[tuple[int, Sequence[int], Sequence[int], int]],
        init: Sequence[int],
        goal_pos: Sequence[int],
        goal_neg: Sequence[int],
    ) -> GroundedTask:
        """
        A task written out by hand. An operator is (pre_pos, pre_neg, add, delete, cost, effects), an effect (pos, neg, atom, adds), an axiom (head, pos, neg, layer).
        """

    @property
    def atom_count(self) -> int: ...
    @property
    def operator_count(self) -> int: ...
    @property
    def axiom_count(self) -> int: ...
    @property
    def init(self) -> list[int]: ...
    @property
    def goal_pos(self) -> list[int]: ...
    @property
    def goal_neg(self) -> list[int]: ...
    @property
    def goal_reachable(self) -> bool: ...
    @property
    def atom_predicate(self) -> list[int]: ...
    @property
    def operator_schema(self) -> list[int]: ...
    @property
    def cost(self) -> list[float]: ...
    @property
    def derived(self) -> list[int]: ...
    def atom_args(self, atom: int) -> list[int]: ...
    def operator_args(self, op: int) -> list[int]: ...
    def pre_pos(self, op: int) -> list[int]: ...
    def pre_neg(self, op: int) -> list[int]: ...
    def add(self, op: int) -> list[int]: ...
    def delete(self, op: int) -> list[int]: ...
    def effects(self, op: int) -> list[tuple[list[int], list[int], int, bool]]:
        """The conditional effects of an operator: (pos, neg, atom, adds) each."""

    def axiom(self, axiom: int) -> tuple[int, list[int], list[int], int]:
        """An axiom: (head, pos, neg, layer)."""

def ground(
    words: array.array[int], numbers: array.array[float], meter: Meter
) -> GroundedTask | Halt | tuple[bool, int, list[int]]:
    """
    Ground a packed task: the task, or a Halt, or (cost is missing, table or predicate, objects).
    """

def restrict(
    task: GroundedTask, goal_pos: Sequence[int], goal_neg: Sequence[int], meter: Meter | None = None
) -> tuple[GroundedTask, list[int], list[int], int]:
    """
    The part of a task that matters for a goal, with the old numbers of its atoms and operators, and its bytes, with which the meter stays charged.
    """

class Shrink:
    """Area averages of an image's tiles."""

    def __init__(
        self,
        rows: int,
        columns: int,
        channels: int,
        tile_rows: int,
        tile_columns: int,
        values: int = 256,
        nearest: bool = False,
    ) -> None: ...
    @property
    def output_size(self) -> int:
        """How many numbers come out."""

    def __call__(self, image: object, out: object) -> None:
        """
        Write the tiles of an image into an array of bytes; both are contiguous arrays of bytes.
        """

class Screen:
    """A game's screen as a small gray picture."""

    def __init__(self, rows: int, columns: int, small_rows: int, small_columns: int) -> None: ...
    def look(self, colours: object, picture: object) -> bool:
        """
        Write the picture of a screen of numbered colours; False if one of them must be learned first.
        """

    def learn(self, colours: object, grays: object) -> None:
        """
        Learn which gray each colour is, from a screen that is there in both ways.
        """

class Patches:
    """Which colours are in which of 14x16 tiles of a screen."""

    def __init__(self, rows: int, columns: int) -> None: ...
    def of(self, colours: object) -> bytes:
        """
        The patches of a screen of colours below 128: their numbers, tile * 128 + colour, 16 bits each.
        """

def screen_features(now: bytes, before: bytes, background: bytes, space: bool, time: bool) -> bytes:
    """
    The numbers of the true B-PROST features, 32 bits each, in order. Patches of the background are left out.
    """

def interleave(frames: Sequence[object], image: object) -> None:
    """
    Write frames into an image as its channels; all are contiguous arrays of bytes.
    """

def digest(parts: Sequence[object]) -> int:
    """
    A number of 64 bits that tells contiguous arrays of bytes, one after the other, from others.
    """

def rmsprop(
    weights: object,
    gradient: object,
    l2: float,
    scale: float,
    running: object,
    rate: float,
    decay: float,
    epsilon: float,
) -> None:
    """
    One step of RMSprop against the gradient plus l2 times the weights, times a scale; weights, gradient and running squares are rows of 32-bit floats.
    """

def squares(weights: object, gradient: object, l2: float) -> tuple[float, float]:
    """
    The sum of squares of the gradient plus l2 times the weights, and that of the weights.
    """

def renorm(
    x: object,
    units: object,
    settings: tuple[float, float, float, float],
    out: object,
    correction: object,
    kernels: str = "best",
) -> None:
    """
    Normalise a batch as in use, and rectify it. `units` are weights, biases, and average means and variances, which follow; `settings` are momentum, epsilon, and the bounds of ratio and shift.
    """

def renorm_backward(
    passed: object, weight: object, correction: object, gradients: object, kernels: str = "best"
) -> None:
    """
    Gradients of a batch, its weights and biases, from inputs, outputs and the outputs' gradient.
    """

class Forward:
    """The network's forward pass for the few states of a search."""

    def __init__(self, rows: int, columns: int, channels: int, room: int, kernels: str = "best") -> None: ...
    def convolution(self, side: int, stride: int, outputs: int) -> None:
        """Add a convolution, which a ReLU follows."""

    def dense(self, outputs: int) -> None:
        """Add a dense layer, which a ReLU follows."""

    def heads(self, actions: int, points: Sequence[float]) -> None:
        """
        Add the last layer: a policy, and a distribution over the points of a value.
        """

    def set(self, layer: int, weights: object, scale: object, bias: object) -> None:
        """
        Give a layer its weights, each output's times its scale; all are rows of 32-bit floats.
        """

    def __call__(self, inputs: object, count: int, active: object, policy: object, value: object) -> None:
        """
        Evaluate the first inputs: which units of the last hidden layer are active, policy, mean value.
        """

class State:
    """A set of atoms that hold; immutable and hashable."""

    def __contains__(self, atom: int) -> bool: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[int]: ...
    def __hash__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __repr__(self) -> str: ...
    def __getstate__(self) -> tuple[list[int], int, int]: ...
    def __setstate__(self, arg: tuple[Sequence[int], int, int], /) -> None: ...
    def atoms(self) -> list[int]:
        """The numbers of the atoms that hold, ascending."""

class Operators:
    """A task's operators in the order they are tried, and what applies."""

    def __init__(
        self, task: GroundedTask, seed: int | None = None, meter: Meter | None = None, complements: Sequence[int] = []
    ) -> None:
        """
        Prepare a task's operators for searching; novelty also looks at the falsehood of the atoms in `complements`. A meter that says to stop ends it with an InterruptedError, one that has no memory left with a MemoryError.
        """

    @property
    def order(self) -> list[int]: ...
    @property
    def count(self) -> int: ...
    @property
    def atom_count(self) -> int: ...
    @property
    def complements(self) -> list[int]:
        """The atoms whose falsehood is a feature as well."""

    @property
    def feature_bits(self) -> int:
        """The size of a novelty table over the features of a state."""

    @property
    def bytes(self) -> int: ...
    @property
    def plain(self) -> bool:
        """
        Whether all that ever happens is adding and deleting: no conditional effects, no axioms.
        """

    @property
    def first(self) -> State:
        """The task's first state."""

    def state(self, atoms: Sequence[int]) -> State:
        """
        The state in which these atoms hold, and what the axioms derive from them.
        """

    def applicable(self, state: State) -> list[int]:
        """The operators that apply in a state, in the order they are tried."""

    def apply(self, state: State, op: int) -> State:
        """The state after an operator; whether it applies is not checked."""

    def successors(self, state: State) -> list[tuple[int, State]]:
        """All (operator, state after it) of a state: one call expands a node."""

def wanted_false(task: GroundedTask, goal_neg: Sequence[int]) -> list[int]:
    """
    The atoms that a condition, an axiom or the goal wants false, ascending.
    """

class NoveltyTable:
    """Which tuples of features, of size up to the width, were seen together."""

    @overload
    def __init__(self, meter: Meter, feature_count: int, width: int) -> None: ...
    @overload
    def __init__(self, meter: Meter, operators: Operators, width: int) -> None:
        """A table over the features of the states of these operators."""

    @overload
    def novel(self, state: State, before: State | None = None) -> bool:
        """
        Whether the state shows a tuple not seen before. Tuples of `before` must have been seen.
        """

    @overload
    def novel(self, features: Sequence[int]) -> bool: ...
    @overload
    def take(self, state: State, before: State | None = None) -> bool:
        """The same, and remember the state if it is novel."""

    @overload
    def take(self, features: Sequence[int]) -> bool: ...
    @overload
    def insert(self, state: State) -> None:
        """Remember all tuples of a state."""

    @overload
    def insert(self, features: Sequence[int]) -> None: ...
    @property
    def bytes(self) -> int: ...
    @property
    def sparse(self) -> bool: ...

ALL_FEATURES: int = 4294967295

class Stop(enum.Enum):
    """Why a search came back."""

    SOLVED = 0

    ENTERED = 1

    EXHAUSTED = 2

    PAUSED = 3

    OUT_OF_NODES = 4

    OUT_OF_TIME = 5

    OUT_OF_MEMORY = 6

    INTERRUPTED = 7

class Search:
    """A resumable width search over a task; regions colour its one tree."""

    def __init__(
        self,
        operators: Operators,
        meter: Meter,
        levels: Sequence[Sequence[int] | Callable[[State], int]],
        goal_pos: Sequence[int],
        goal_neg: Sequence[int],
        width: int = 1,
        depth_first: bool = False,
        record_pruned: bool = False,
        entry_in_table: bool = True,
        max_nodes: int | None = None,
        seed: int = 0,
        one_of: Sequence[int] = [],
        first: State | None = None,
    ) -> None: ...
    def start(self) -> tuple[Stop, int | None, int]:
        """Generate the root and open region 0 at it."""

    def open_region(self, node: int) -> int:
        """Open a region at an entry."""

    def reject(self, node: int) -> None:
        """Prune an entry that has no novelty at its level."""

    def resume(
        self, region: int, tables: Sequence[NoveltyTable | None] = [], pause_after: int | None = None
    ) -> tuple[Stop, int | None, int]:
        """Go on with a region until something happens: (why, node, level)."""

    def candidates(self, node: int) -> list[int]:
        """
        What a pruned node proposes as features: atoms, or ~atom for one that became false.
        """

    def discover(self, random: bool) -> tuple[int, list[int]] | None:
        """
        Pop pruned nodes until one proposes features: (node, atoms, or ~atom for one that became false).
        """

    def restructure(
        self,
        literals: Sequence[int],
        table: NoveltyTable,
        fresh_table: bool = True,
        rebuild_changed: bool = True,
        wake: bool = False,
    ) -> list[int]:
        """
        Add features to the level above the regions and recolour the tree; returns the regions to continue with.
        """

    def abstract(self, region: int, level: int) -> list[int]:
        """
        The abstract state of a region: its true features, or its function's value.
        """

    def path(self, node: int) -> list[int]:
        """The operators from the root to a node."""

    def state(self, node: int) -> State: ...
    def node(self, node: int) -> tuple[int | None, int | None, int, int | None, int]:
        """A node's columns: (parent, operator, depth, region, flags)."""

    def columns(self) -> tuple[bytes, bytes, bytes, bytes, bytes]:
        """
        The columns of all nodes as bytes of 32-bit numbers: (parent, operator, depth, region, flags); 0xffffffff stands for none.
        """

    def region_root(self, region: int) -> int: ...
    @property
    def region_count(self) -> int: ...
    @property
    def alive_count(self) -> int:
        """How many regions are alive."""

    @property
    def node_count(self) -> int: ...
    @property
    def seconds(self) -> float:
        """Seconds spent in resume."""

    @property
    def generated(self) -> int: ...
    @property
    def expanded(self) -> int: ...
    @property
    def pruned(self) -> int: ...
    @property
    def pruned_entries(self) -> int: ...
    @property
    def depth(self) -> int: ...

PRUNED: int = 1

EXPANDED: int = 2

ENTRY: int = 4

GOAL: int = 8

class Relaxed:
    """A task without deletes: relaxed plans towards a goal."""

    def __init__(
        self, operators: Operators, meter: Meter, goal_pos: Sequence[int], goal_neg: Sequence[int]
    ) -> None: ...
    def plan(self, state: State) -> list[int] | None:
        """The operators of a relaxed plan from a state; None for a dead end."""

    def preferred(self, state: State) -> list[int]:
        """The operators of the relaxed plan that apply in the state."""

    def effects(self, state: State) -> tuple[list[int], list[int]]:
        """
        What the relaxed plan makes true and makes false that is not so in the state.
        """

    def landmarks(self, state: State) -> list[tuple[int, bool]] | None:
        """
        What every plan from a state shows on its way, as (atom, whether it is to hold); None if there is not even a relaxed plan, or if that is too much to find.
        """

    def to_come(self, way: Sequence[State]) -> list[int] | None:
        """
        How many landmarks of its first state are still to come, for every state of a way.
        """

class BestFirst:
    """A resumable best-first search for whole problems."""

    def start(self) -> tuple[Stop, int | None]:
        """Generate the root."""

    def resume(self, pause_after: int | None = None, pause_seconds: float | None = None) -> tuple[Stop, int | None]:
        """
        Go on until something happens, or for so many nodes or about so long: (why, node).
        """

    def path(self, node: int) -> list[int]:
        """The operators from the root to a node."""

    def state(self, node: int) -> State: ...
    def node(self, node: int) -> tuple[int | None, int | None, int, int]:
        """A node's columns: (parent, operator, depth, flags)."""

    def columns(self) -> tuple[bytes, bytes, bytes, bytes, bytes]:
        """
        The columns of all nodes as bytes of 32-bit numbers: (parent, operator, depth, region, flags); 0xffffffff stands for none.
        """

    @property
    def node_count(self) -> int: ...
    @property
    def seconds(self) -> float:
        """Seconds spent in resume."""

    @property
    def generated(self) -> int: ...
    @property
    def expanded(self) -> int: ...
    @property
    def pruned(self) -> int:
        """Duplicates, and nodes without novelty where those are pruned."""

    @property
    def pruned_entries(self) -> int:
        """The same as dead_ends."""

    @property
    def dead_ends(self) -> int:
        """States without even a relaxed plan."""

    @property
    def evaluated(self) -> int:
        """How many states got a relaxed plan, or were found to have none."""

    @property
    def work(self) -> int:
        """
        What all nodes so far took besides the usual: what relaxed plans, axioms, landmarks and tables of pairs looked at, and looks at operators that may be forbidden.
        """

    @property
    def depth(self) -> int: ...

class Bfws(BestFirst):
    """Best-first width search."""

    def __init__(
        self,
        operators: Operators,
        meter: Meter,
        goal_pos: Sequence[int],
        goal_neg: Sequence[int],
        width: int = 2,
        prune: bool = False,
        max_nodes: int | None = None,
        pair_bytes: int | None = None,
        first: State | None = None,
    ) -> None: ...
    def evaluation(self, node: int) -> tuple[int, int, int]:
        """
        How a node was judged: (novelty, goals open, relaxed-plan effects seen).
        """

class Greedy(BestFirst):
    """Lazy greedy best-first search with preferred operators."""

    def __init__(
        self,
        operators: Operators,
        meter: Meter,
        goal_pos: Sequence[int],
        goal_neg: Sequence[int],
        count_goals: bool = True,
        landmarks: bool = True,
        boost: int = 1000,
        max_nodes: int | None = None,
        first: State | None = None,
    ) -> None: ...

class Guided(BestFirst):
    """Greedy search along relaxed plans, helpful successors first."""

    def __init__(
        self,
        operators: Operators,
        meter: Meter,
        goal_pos: Sequence[int],
        goal_neg: Sequence[int],
        patience: int = 200,
        novelty: bool = True,
        max_nodes: int | None = None,
        first: State | None = None,
    ) -> None: ...
    @property
    def best(self) -> int:
        """The length of the shortest relaxed plan so far."""

class Walks(BestFirst):
    """Random walks along relaxed plans."""

    def __init__(
        self,
        operators: Operators,
        meter: Meter,
        goal_pos: Sequence[int],
        goal_neg: Sequence[int],
        seed: int = 0,
        walks: int = 10,
        longest: int = 8,
        ways: int = 10,
        max_nodes: int | None = None,
        first: State | None = None,
    ) -> None: ...
    @property
    def best(self) -> int:
        """The length of the shortest relaxed plan so far."""

class Inverse:
    """
    A task read from its goal: its states are what has to hold, its plans run backwards.
    """

    @property
    def operators(self) -> Operators | None:
        """
        The operators of the inverse task; none if it is large or contradictory.
        """

    @property
    def unwanted(self) -> list[int]:
        """
        The goal of the inverse task: none of these atoms has to hold any more.
        """

    @property
    def operator_of(self) -> list[int]:
        """Per operator of the inverse task, the operator it stands for."""

    @property
    def large(self) -> bool:
        """Whether making it would have been more work than allowed."""

    @property
    def contradictory(self) -> bool:
        """
        Whether pairs of atoms show that no state that can be reached has all goals.
        """

def invert(
    operators: Operators,
    meter: Meter,
    goal_pos: Sequence[int],
    goal_neg: Sequence[int],
    first: State,
    seed: int | None = None,
    most_words: int = 500000000,
    most_bytes: int = 100000000,
) -> Inverse:
    """
    The inverse of a task without conditional effects and axioms, from a first state to a goal. A meter that says to stop ends it with an InterruptedError, one that has no memory left with a MemoryError.
    """

class Mutexes:
    """
    Pairs of literals that exclude each other in every reachable state (h^2). A literal is the number n of an atom that is true, or ~n for one that is false.
    """

    def __init__(
        self,
        operators: Operators,
        meter: Meter,
        goal_pos: Sequence[int],
        goal_neg: Sequence[int],
        first: State,
        most_words: int = 500000000,
        most_bytes: int = 100000000,
    ) -> None: ...
    @property
    def complete(self) -> bool:
        """Whether the pairs were found within the limits."""

    def among(self, literals: Sequence[int]) -> tuple[int, int] | None:
        """
        The first two of these literals that exclude each other; twice the same one if it never holds.
        """

class DepthTable:
    """
    For every tuple of feature values the smallest depth it was seen at, and who showed it.
    """

    def __init__(self, width: int, item_size: int = 1) -> None:
        """
        A table for tuples of one or two values, or (width 0) for whole vectors.
        """

    def insert(self, features: bytes, depth: int, node: int, before: bytes = ...) -> tuple[int, list[int]]:
        """
        Show a node's vector: how many tuples it owns now, and the former owner of each that had one. `before` is a vector whose tuples were all seen at a smaller depth.
        """

    def depths(self, features: bytes) -> list[int]:
        """The smallest depths at which the tuples of a vector were seen."""

    def clear(self) -> None:
        """Forget everything."""

    def save(self) -> bytes:
        """The contents of the table as bytes."""

    def load(self, saved: bytes) -> None:
        """Know what a table of the same kind knew when it was saved."""

    def __len__(self) -> int: ...
    @property
    def bytes(self) -> int:
        """Memory in use."""

class Improver:
    """Makes plans, lists of operators, cheaper."""

    def __init__(
        self,
        operators: Operators,
        meter: Meter,
        weights: Sequence[float],
        goal_pos: Sequence[int],
        goal_neg: Sequence[int],
    ) -> None: ...
    def valid(self, plan: Sequence[int]) -> bool:
        """Whether every step applies and the goal holds in the end."""

    def eliminate(self, plan: Sequence[int], greedy: bool = True) -> list[int]:
        """
        Drop steps, each with those that then do not apply, as long as the goal is reached: the most expensive set first, or all in one pass.
        """

    def gather(self, plan: Sequence[int]) -> list[int]:
        """
        The same steps in an order in which those that need each other stand together.
        """

    def replace(
        self, plan: list[int], begin: int, end: int, max_nodes: int, weight: float = 1.0
    ) -> tuple[Stop, list[int], int]:
        """
        Search a cheaper way through the steps from begin to end: (why it stopped, the plan, nodes).
        """

    @property
    def work(self) -> int:
        """
        The work done so far, in units of roughly a nanosecond that no clock counts.
        """

class Watchdog:
    def __init__(self, seconds: float, deadline: float, grace: float, signal: int, exit_code: int) -> None: ...
    def enter(self, kind: int, step: int, action: int) -> None: ...
    def leave(self) -> None: ...
    def stop(self) -> None: ...
    def expired(self) -> bool: ...
    def prepare(self, name: str, out: str, draft: str, line: str, path: str, advice: str = "") -> None: ...
