"""Transfers and commands that share words and come at about the same time: whoever was taken first has them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tilewright.generators.reference.core import Port
from tilewright.generators.reference.records import Command, Start, Transfer
from tilewright.sim_tests.drivers.core_session import Stalls
from tilewright.sim_tests.harness import Stall
from tilewright.sim_tests.system.bench import Bench
from tilewright.sim_tests.system.program import Author, Step
from tilewright.sim_tests.system.shapes import cycles_alone, fitting

_LOADS: tuple[tuple[Start, Port], ...] = (
    (Start.ZERO, "a"),
    (Start.ZERO, "b"),
    (Start.ACCUMULATE, "c"),
    (Start.BIAS, "c"),
)
SURPLUS = 20  # rows that a load brings more than it tells
APART = 12  # cycles by which one comes before the other, at most


@dataclass(frozen=True)
class Race:
    """Two steps that share words; the second comes ``later`` cycles after the first."""

    first: Step
    second: Step
    later: int


def order(bench: Bench) -> None:
    """Every kind of transfer against a command, and transfers of C against each other, at every distance in time."""
    quick: Stalls = {}
    slow_in = {f"load_{side}_beats": Stall(0.7) for side in "abc"}
    slow_out = {"read_c_beats": Stall(0.6, burst_probability=0.02)}
    for index, stall in enumerate((quick, slow_in, slow_out)):
        author = bench.author(filled=True)
        space, begin = _spaces(bench, author)
        offers = [0] * len(author.steps)
        for race in races(bench, author, region=index % 2):
            offers += [begin, begin + race.later, begin]
            _add(author, race)
            begin += space
        author.look_at_everything()
        offers += [begin] * (len(author.steps) - len(offers))
        bench.run(author.steps, stall, offers)


def races(bench: Bench, author: Author, region: int) -> Iterator[Race]:
    """Both orders of all pairs that can share words, at all distances."""
    for later in range(APART + 1):
        for start, port in _LOADS:
            command = _command(bench, start, later, region)
            yield from _both(_load(author, command, port), Step(command=command), later)
        command = _command(bench, Start.ACCUMULATE, later, region)
        # Its last word may be on its way to the scratchpad while its surplus beats are taken.
        longer = author.loading("c", _c_of(command), (command.m + SURPLUS, command.n))
        yield from _both(longer, Step(command=command), later)
        for start in (Start.ZERO, Start.ACCUMULATE):
            command = _command(bench, start, later, region)
            yield from _both(Step(transfer=_c_of(command)), Step(command=command), later)
        command = _command(bench, Start.ACCUMULATE, later, region)
        yield from _both(_load(author, command, "c"), Step(transfer=_c_of(command)), later)


def _both(one: Step, other: Step, later: int) -> Iterator[Race]:
    yield Race(one, other, later)
    yield Race(other, one, later)


def _add(author: Author, race: Race) -> None:
    """Adds the two steps, and a read-out of C after both."""
    commands = (step.command for step in (race.first, race.second) if step.command is not None)
    command = next(commands, None)
    place = len(author.steps)
    author.steps += [race.first, race.second]
    transfer = _c_of(command) if command is not None else race.first.transfer
    author.steps.append(Step(transfer=transfer, after=(place, place + 1)))


def _command(bench: Bench, start: Start, index: int, region: int) -> Command:
    """A command just beyond one tile."""
    c = bench.config
    dataflow = bench.dataflows[index % len(bench.dataflows)]
    shape = (c.rows + 1, c.cols + 1, c.rows * c.vector + 1)
    return replace(fitting(bench.rules, Command(*shape, dataflow, start)), region=region)


def _load(author: Author, command: Command, port: Port) -> Step:
    """Loads what ``command`` reads through ``port``."""
    m, n, k = command.m, command.n, command.k
    if port == "a":
        return author.loading("a", Transfer(command.a_base, m, k))
    if port == "b":
        return author.loading("b", Transfer(command.b_base, k, n))
    if command.start == Start.BIAS:
        return author.loading("c", Transfer(command.bias_base, 1, n, command.region))
    return author.loading("c", _c_of(command))


def _c_of(command: Command) -> Transfer:
    return Transfer(command.c_base, command.m, command.n, command.region)


def _spaces(bench: Bench, author: Author) -> tuple[int, int]:
    """Cycles that a race takes at most, or nearly so, and cycles that the loads before them take."""
    command = _command(bench, Start.BIAS, 0, 0)
    m, n, k = command.m, command.n, command.k
    rules = bench.rules
    beats = max(rules.beats("a", m, k), rules.beats("b", k, n), rules.beats("c", m + SURPLUS, n))
    filling = sum(rules.beats(s.side, s.transfer.rows, s.transfer.cols) for s in author.steps if s.transfer is not None)
    return 100 + 8 * beats + 2 * cycles_alone(rules, command), 1000 + 5 * filling
