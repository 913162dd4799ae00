"""Commands whose C touch or share words: which wait for which, in every place of the command table."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace

from tilewright.generators.reference.core import ReferenceCore
from tilewright.generators.reference.cycles import Gemm
from tilewright.generators.reference.records import Command, Start, Status
from tilewright.sim_tests.drivers.cycle_points import CycleSequence, gemms_of
from tilewright.sim_tests.system.bench import Bench
from tilewright.sim_tests.system.shapes import cycles_alone, fitting, powers

#: Commands that come together, each with the cycle after the first one in which it is offered.
Group = Sequence[tuple[Command, int]]

EARLY, LATE = 12, 4  # cycles around the end of a command in which the next one comes


def conflicts(bench: Bench) -> None:
    """A command waits for the earlier ones in flight whose C its own words share, and for no other: by its cycles."""
    alone = Command(1, 1, 1, bench.dataflows[0])
    groups = [*_pairs(bench), *_at_powers(bench), *_apart(bench)]
    for turn in range(bench.config.in_flight):
        # Each group is in every place of the table at some time; the command before it may still be in flight.
        moved = [[(replace(c, region=c.region ^ turn % 2), 0) for c in (alone, *group)] for group in groups]
        bench.time(_sequence(bench, [[(alone, 0)]] * turn + moved))
    bench.time(_sequence(bench, list(_meetings(bench))))


def _sequence(bench: Bench, groups: Sequence[Group]) -> CycleSequence:
    """``groups`` one after the other, each when all before have ended."""
    commands: list[Command] = []
    gemms: list[Gemm] = []
    offers: list[int] = []
    cycle = 0
    for group in groups:
        found = gemms_of(bench.rules, [command for command, _ in group])
        gemms += [replace(g, after=tuple(len(commands) + earlier for earlier in g.after)) for g in found]
        commands += [command for command, _ in group]
        offers += [cycle + later for _, later in group]
        cycle = offers[-1] + sum(cycles_alone(bench.rules, command) for command, _ in group)
    return CycleSequence(bench.config, tuple(commands), tuple(gemms), tuple(offers))


def _pairs(bench: Bench) -> Iterator[tuple[Command, Command]]:
    """Pairs of commands, the larger C first and the smaller first, whose words lie in every relation to each other."""
    for small in _around(bench.rules, _wide(bench)):
        for one, other in ((_wide(bench), small), (small, _wide(bench))):
            yield one, replace(other, dataflow=_any_dataflow(bench))


def _at_powers(bench: Bench) -> Iterator[tuple[Command, Command]]:
    """Single words of C that end at a power of two, and commands whose C or bias row is that word, or beside it."""
    for power in powers(bench.config.scratchpads.c.words):
        first = Command(1, 1, 1, _any_dataflow(bench), c_base=power - 1)
        other = replace(first, start=Start.BIAS, c_base=power + 1 if power < 3 else 0)
        for word in (power - 2, power - 1, power):
            for second in (replace(first, c_base=word), replace(other, bias_base=word)):
                if word >= 0 and bench.rules.command_status(second) == Status.OK:
                    yield first, second


def _apart(bench: Bench) -> Iterator[tuple[Command, ...]]:
    """The same with short commands between the two, which have nothing to do with them, so that both are in flight."""
    between = Command(1, 1, 1, bench.dataflows[0], region=1)
    for first_flow, second_flow in itertools.product(bench.dataflows, repeat=2):
        first = replace(_wide(bench), dataflow=first_flow)
        span = bench.rules.command_spans(first)["c"]
        second = Command(1, 1, 1, second_flow, Start.ACCUMULATE, c_base=span.high - 1)
        biased = replace(second, start=Start.BIAS, c_base=span.low - 2, bias_base=span.high - 1)
        for command in (second, biased):
            if command.c_base >= 0 and bench.rules.command_status(command) == Status.OK:
                yield from ((first, *[between] * count, command) for count in range(bench.config.in_flight - 1))


def _meetings(bench: Bench) -> Iterator[Group]:
    """A command that adds to the C of the one before it, and comes when that one is about to end."""
    for dataflow in bench.dataflows:
        first = replace(_wide(bench), dataflow=dataflow)
        second = replace(first, dataflow=_any_dataflow(bench), start=Start.ACCUMULATE)
        end = cycles_alone(bench.rules, first)
        for later in range(max(0, end - EARLY), end + LATE):
            yield [(first, 0), (second, later)]


def _around(rules: ReferenceCore, wide: Command) -> Iterator[Command]:
    """Commands with one word of C, which, or whose bias row, lies in the words of ``wide`` or right beside them."""
    span = rules.command_spans(wide)["c"]
    one = Command(1, 1, 1, wide.dataflow)
    places = (span.low - 1, span.low, span.high - 1, span.high)
    found = [replace(one, c_base=word, start=start) for word in places for start in (Start.ZERO, Start.ACCUMULATE)]
    for word in places:
        for own in (span.low - 2, span.high + 1):  # where C of the command does not matter
            found += [replace(one, c_base=own, bias_base=word, start=start) for start in Start]
    for command in found:
        for region in (0, 1):
            placed = replace(command, region=region)
            if min(placed.c_base, placed.bias_base) >= 0 and rules.command_status(placed) == Status.OK:
                yield placed


def _wide(bench: Bench) -> Command:
    """A command of a few folds."""
    c = bench.config
    shape = (c.rows + 1, c.cols + 1, 2 * c.rows * c.vector)
    at_bottom = fitting(bench.rules, Command(*shape, _any_dataflow(bench)), spare=2)
    moved = replace(at_bottom, c_base=2)
    return moved if bench.rules.command_status(moved) == Status.OK else at_bottom


def _any_dataflow(bench: Bench) -> int:
    return int(bench.rng.choice(bench.dataflows))
