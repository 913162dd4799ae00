"""The tests of a core: what each does, in the order in which they run."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from tilewright.generators.reference.core import DATAFLOWS
from tilewright.generators.reference.records import Command, Start, Status, Transfer
from tilewright.sim_tests.drivers.cycle_points import CycleSequence, cycle_sequence
from tilewright.sim_tests.harness import Stall
from tilewright.sim_tests.system.campaign import random_stalls
from tilewright.sim_tests.system.program import Author, Step
from tilewright.sim_tests.verify.bench import Bench

SHAPES = 10  # of the ragged test, for each dataflow
SEQUENCES = 12  # of the cycles test, beside every ordered pair of dataflows
PROGRAMS, PROGRAM_COMMANDS = 4, 10  # of the random test
REFUSED_BY_COMMAND = {
    *(Status.EMPTY, Status.BAD_DATAFLOW, Status.BAD_START, Status.BIAS_IN_C),
    *(Status.A_OUT_OF_RANGE, Status.B_OUT_OF_RANGE, Status.C_OUT_OF_RANGE, Status.BIAS_OUT_OF_RANGE),
}


@dataclass(frozen=True)
class Test:
    """A test: its name, what it shows, and what it runs."""

    __test__ = False  # for pytest: not one of its own

    name: str
    shows: str
    run: Callable[[Bench], None]


def _smoke(bench: Bench) -> None:
    """A product just beyond one tile, from each start."""
    c = bench.config
    for dataflow in DATAFLOWS[c.dataflow]:
        author = bench.author()
        for start in Start:
            _product(bench, author, (c.rows + 1, c.cols + 1, c.rows * c.vector + 1), dataflow, start)
        bench.run(author.steps)


def _ragged(bench: Bench) -> None:
    """Extents around the edges of tiles, each combined with others at random."""
    c = bench.config
    for dataflow in DATAFLOWS[c.dataflow]:
        author = bench.author()
        edges = [_edges(unit) for unit in (c.rows, c.cols, c.rows * c.vector)]
        for _ in range(SHAPES):
            m, n, k = (int(bench.rng.choice(extents)) for extents in edges)
            _product(bench, author, (m, n, k), dataflow, Start(int(bench.rng.integers(3))))
        bench.run(author.steps)


def _stalls(bench: Bench) -> None:
    """Random programs under idle sources, slow sinks, and long pauses of both."""
    ports = bench.build.interface.streams
    idle = {port.name: Stall(0.5) for port in ports if port.direction == "in"}
    slow = {port.name: Stall(0.5, wait_for_valid=True) for port in ports if port.direction == "out"}
    for stall in (idle, slow, {port.name: Stall(0.05, 0.03) for port in ports}):
        author = bench.author()
        author.fill()
        for _ in range(4):
            author.gemm()
        bench.run(author.steps, stall)


def _refusals(bench: Bench) -> None:
    """Every reason to refuse a command or a transfer, and that nothing has changed."""
    author = bench.author()
    author.fill()
    for command in _illegal_commands(bench):
        author.add(Step(command=command))
    for _ in range(12):
        author.odd()
    author.look_at_everything()
    bench.run(author.steps)
    author = bench.author()
    command = _longest(bench, DATAFLOWS[bench.config.dataflow][0])
    for _ in range(6):  # into the words of a command in flight
        author.add(Step(command=command))
        author.dare(len(author.steps) - 1, command)
    bench.run(author.steps)


def _back_to_back(bench: Bench) -> None:
    """Every ordered pair of dataflows without a pause between, on shared and separate words of C."""
    for sequence in _pairs(bench):
        author = bench.author()
        author.fill()
        for command in sequence.commands:
            author.add(Step(command=command))
        author.look_at_everything()
        bench.run(author.steps)


def _cycles(bench: Bench) -> None:
    """The cycle of every answer, against the cycle model."""
    for sequence in (*_pairs(bench), *(cycle_sequence(bench.config, bench.rng) for _ in range(SEQUENCES))):
        steps = [Step(command=command) for command in sequence.commands]
        result = bench.run_at(steps, sequence.offers)
        for index, (operation, wanted) in enumerate(zip(result.operations, sequence.predicted(), strict=True)):
            measured = result.taken(operation), result.offered(operation)
            if measured != wanted:
                raise result.run.failure(
                    f"command {index}, {sequence.commands[index]}: expected taken and completed in cycles "
                    f"{wanted[0]} and {wanted[1]}, got {measured[0]} and {measured[1]}",
                    cycle=measured[1],
                    stream=operation.answers,
                )
            bench.points += 1


def _random(bench: Bench) -> None:
    """Programs of anything a user may do and may try, with random pauses."""
    for _ in range(PROGRAMS):
        steps = bench.author().write(PROGRAM_COMMANDS)
        bench.run(steps, random_stalls(bench.rng, bench.build))


TESTS = {
    test.name: test
    for test in (
        Test("smoke", "one product from zero, bias and old C, in each dataflow of the core", _smoke),
        Test("ragged", "extents around the edges of tiles", _ragged),
        Test("stalls", "idle sources, slow sinks, long pauses", _stalls),
        Test("refusals", "every refused command and transfer changes nothing", _refusals),
        Test("back-to-back", "no pause between commands, for each ordered pair of the core's dataflows", _back_to_back),
        Test("cycles", "every command takes the cycles of the model", _cycles),
        Test("random", "random programs with random pauses", _random),
    )
}


def _product(bench: Bench, author: Author, shape: tuple[int, int, int], dataflow: int, start: Start) -> None:
    """Adds the loads of a product as large as ``shape`` if that fits, its command, and the read-out of its C."""
    command = _fitting(bench, Command(*shape, dataflow, start))
    m, n, k = command.m, command.n, command.k
    author.load("a", Transfer(0, m, k))
    author.load("b", Transfer(0, k, n))
    author.load("c", Transfer(0, m, n))
    if start == Start.BIAS:
        author.load("c", Transfer(command.bias_base, 1, n))
    author.add(Step(command=command))
    author.add(Step(transfer=Transfer(0, m, n)))


def _fitting(bench: Bench, command: Command) -> Command:
    """``command``, its bias row behind C; its largest extent is halved until it fits.

    It starts from zero where not even the bias row of a single element has a place.
    """
    while True:
        if command.start == Start.BIAS:
            command = replace(command, bias_base=bench.rules.command_spans(command)["c"].high)
        if bench.rules.command_status(command) == Status.OK:
            return command
        largest = max(("m", "n", "k"), key=lambda name: getattr(command, name))
        if getattr(command, largest) == 1:
            return replace(command, start=Start.ZERO, bias_base=0)
        command = replace(command, **{largest: getattr(command, largest) // 2})


def _longest(bench: Bench, dataflow: int) -> Command:
    """A command that takes long: of many folds."""
    c = bench.config
    return _fitting(bench, Command(6 * c.rows, 6 * c.cols, 6 * c.rows * c.vector, dataflow, Start.BIAS))


def _edges(unit: int) -> list[int]:
    return sorted({1, 2, 3, max(1, unit - 1), unit, unit + 1, 2 * unit + 1, 13})


def _illegal_commands(bench: Bench) -> Iterator[Command]:
    """Commands for every reason; each is legal but for that (and, in the smallest scratchpads, its bias row)."""
    c, pads = bench.config, bench.config.scratchpads
    # Two words and more of every matrix, so that one word too many can be asked of the deepest scratchpads as well.
    shape = (2 * c.rows, 2 * pads.c.lanes, 2 * c.rows * c.vector)
    good = replace(_fitting(bench, Command(*shape, DATAFLOWS[c.dataflow][0], Start.BIAS)), start=Start.BIAS)
    spans = bench.rules.command_spans(good)
    words = {"a": pads.a.words, "b": pads.b.words, "c": pads.c.words, "bias": pads.c.words}
    changes: list[dict[str, int]] = [{"m": 0}, {"n": 0}, {"k": 0}, {"dataflow": 3}, {"start": 3}]
    changes += [{"bias_base": spans["c"].low}, {"m": 65535, "n": 65535, "k": 65535}]
    changes += [{f"{name}_base": depth - (spans[name].high - spans[name].low) + 1} for name, depth in words.items()]
    commands = [replace(good, **change) for change in changes]
    statuses = {bench.rules.command_status(command) for command in commands}
    if statuses != REFUSED_BY_COMMAND:
        raise ValueError(f"not every reason was tried: {REFUSED_BY_COMMAND ^ statuses}")
    yield from commands


def _pairs(bench: Bench) -> Iterator[CycleSequence]:
    """A sequence for every ordered pair of dataflows."""
    for pair in itertools.product(DATAFLOWS[bench.config.dataflow], repeat=2):
        yield cycle_sequence(bench.config, bench.rng, pair=[int(flow) for flow in pair])
