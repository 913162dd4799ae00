"""Commands of a wished-for shape that fit a core, and products around them."""

from __future__ import annotations

from dataclasses import replace

from tilewright.generators.reference.core import ReferenceCore
from tilewright.generators.reference.cycle_model import cycle_model
from tilewright.generators.reference.records import Command, Dataflow, Start, Status, Transfer
from tilewright.sim_tests.system.longest import stretched
from tilewright.sim_tests.system.program import Author, Step


def fitting(rules: ReferenceCore, command: Command, spare: int = 0, part: int = 1) -> Command:
    """``command``, its bias row behind C; its largest extent is halved until it fits and leaves ``spare`` words.

    It fits if it lies in the first of ``part`` equal parts of each scratchpad. It starts from zero where not even the
    bias row of a single element has a place, and leaves what it can.
    """
    while True:
        if command.start == Start.BIAS:
            command = replace(command, bias_base=rules.command_spans(command)["c"].high)
        if rules.command_status(command) == Status.OK and _leaves(rules, command, spare, part):
            return command
        largest = max(("m", "n", "k"), key=lambda name: getattr(command, name))
        if getattr(command, largest) > 1:
            command = replace(command, **{largest: getattr(command, largest) // 2})
        elif spare or part > 1:
            spare, part = max(0, spare - 1), 1
        else:
            return replace(command, start=Start.ZERO, bias_base=0)


def longest(rules: ReferenceCore, dataflow: int, start: Start = Start.BIAS, spare: int = 0, part: int = 1) -> Command:
    """A command that takes long: of many folds. ``spare`` and ``part`` as in `fitting`."""
    c = rules.config
    return fitting(rules, Command(6 * c.rows, 6 * c.cols, 6 * c.rows * c.vector, dataflow, start), spare, part)


def lasting(rules: ReferenceCore, dataflow: int, cycles: int, part: int = 1) -> Command:
    """A command that takes at least so many ``cycles``, if one does that fits; ``part`` as in `fitting`."""
    c = rules.config
    for times in range(1, 100):
        command = fitting(
            rules, Command(times * c.rows, times * c.cols, times * c.rows * c.vector, dataflow), part=part
        )
        if cycles_alone(rules, command) >= cycles:
            break
    return command


def deepest(rules: ReferenceCore, dataflow: int) -> Command:
    """The deepest product of a tile's rows and columns that fits."""
    c = rules.config
    return stretched(rules, fitting(rules, Command(c.rows, c.cols, 1, dataflow)), "k")


def powers(words: int) -> list[int]:
    """Powers of two below ``words``: bases at which one bit of an address changes and none below it."""
    return [1 << bit for bit in range(words.bit_length()) if 1 << bit < words]


def cycles_alone(rules: ReferenceCore, command: Command) -> int:
    """What ``command``, which must be legal, takes in an idle core."""
    flow = Dataflow(command.dataflow).name.lower()
    return cycle_model(rules.config).cycles(command.m, command.n, command.k, flow)


def add_product(author: Author, shape: tuple[int, int, int], dataflow: int, start: Start) -> None:
    """Adds the loads of a product as large as ``shape`` if that fits, its command, and the read-out of its C."""
    command = fitting(author.rules, Command(*shape, dataflow, start))
    add_loads(author, command)
    author.load("c", Transfer(command.c_base, command.m, command.n, command.region))
    author.add(Step(command=command))
    author.add(Step(transfer=Transfer(command.c_base, command.m, command.n, command.region)))


def add_loads(author: Author, command: Command) -> None:
    """Adds the loads of the operands and the bias of ``command``."""
    m, n, k = command.m, command.n, command.k
    author.load("a", Transfer(command.a_base, m, k))
    author.load("b", Transfer(command.b_base, k, n))
    if command.start == Start.BIAS:
        author.load("c", Transfer(command.bias_base, 1, n, command.region))


def _leaves(rules: ReferenceCore, command: Command, spare: int, part: int) -> bool:
    """Whether ``spare`` words of a part lie behind every matrix of ``command`` and its bias row."""
    spans = rules.command_spans(command)
    pads = rules.config.scratchpads
    last = max(span.high for name, span in spans.items() if name in ("c", "bias"))
    used = {"a": spans["a"].high, "b": spans["b"].high, "c": last}
    return all(high + spare <= getattr(pads, name).words // part for name, high in used.items())
