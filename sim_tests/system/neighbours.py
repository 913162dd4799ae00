"""Words of a command in flight are not free; those right beside them are."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tilewright.generators.reference.core import Port, ReferenceCore
from tilewright.generators.reference.records import Command, Start, Status, Transfer
from tilewright.sim_tests.system.bench import Bench
from tilewright.sim_tests.system.program import Author, Step
from tilewright.sim_tests.system.shapes import lasting, powers

WAIT = 90  # cycles that each of the commands before takes, at least: a few transfers on each port are checked meanwhile

_SIDES: tuple[tuple[Port, tuple[str, ...]], ...] = (("a", ("a",)), ("b", ("b",)), ("c", ("c", "bias")))


@dataclass(frozen=True)
class Scene:
    """``command``, which waits behind ``before``: in the other region of C, and in words of A and B of their own.

    So nothing but the table keeps a transfer from its words.
    """

    before: tuple[Command, ...]
    command: Command


def neighbours(bench: Bench) -> None:
    """Transfers in and right beside the words of a command in flight, in every place of the table, or before it."""
    for some in (places, crowds, words_at_powers):
        bench.run(neighbour_steps(bench, some(bench)))


def neighbour_steps(bench: Bench, scenes: Iterator[Scene]) -> list[Step]:
    """``scenes`` one after the other, and transfers of single values in and around the words of each command."""
    author = bench.author(filled=True)
    author.careless = 1.0  # transfers wait for the command that they dare and for nothing else
    for scene in scenes:
        before = tuple(range(len(author.steps)))
        author.steps += [Step(command=command, after=before) for command in scene.before]
        author.steps.append(Step(command=scene.command))
        _surround(author, scene.command, len(author.steps) - 1)
    author.look_at_everything()
    return author.steps


def places(bench: Bench) -> Iterator[Scene]:
    """Commands from zero and from a bias in every place of the table, at an odd word and at an even one."""
    c = bench.config
    for start, base, _ in itertools.product((Start.BIAS, Start.ZERO), (1, 2), range(c.in_flight)):
        dataflow = int(bench.rng.choice(bench.dataflows))
        shape = (2, c.cols + 1, 2, dataflow, start)
        # Three commands a scene: each is in another place than the one before.
        yield from _scenes(bench, Command(*shape, a_base=base, b_base=base, c_base=base), behind=2)


def crowds(bench: Bench) -> Iterator[Scene]:
    """Commands that are taken while the table is full."""
    shape = (2, bench.config.cols + 1, 2, bench.dataflows[-1])
    for start, region in itertools.product((Start.BIAS, Start.ZERO), (0, 1)):
        command = Command(*shape, start, a_base=1, b_base=1, c_base=1 + region, region=region)
        yield from _scenes(bench, command, behind=bench.config.in_flight)


def words_at_powers(bench: Bench) -> Iterator[Scene]:
    """Single words at a power of two and right before it, in every place of the table."""
    pads = bench.config.scratchpads
    words = min(pads.a.words, pads.b.words, pads.c.words)
    for power, before in itertools.product(powers(words), (1, 0)):
        word = power - before
        one = Command(1, 1, 1, bench.dataflows[-1], Start.ZERO, word, word, word)
        beyond = power + 2 if power + 2 < pads.c.words else 0
        for command in (one, replace(one, start=Start.BIAS, c_base=beyond, bias_base=word)):
            for _ in range(bench.config.in_flight):
                yield from _scenes(bench, command, behind=2)


def _scenes(bench: Bench, command: Command, *, behind: int) -> Iterator[Scene]:
    """``command`` behind others, in the half of the scratchpads that it does not need; nothing if illegal.

    A bias row that has no place yet lies behind C.
    """
    rules, pads = bench.rules, bench.config.scratchpads
    if not command.bias_base:
        command = replace(command, bias_base=rules.command_spans(command)["c"].high)
    first = replace(lasting(rules, bench.dataflows[0], WAIT, part=2), region=1 - command.region)
    if rules.command_spans(command)["a"].low < pads.a.words // 2:
        sizes = {name: span.high - span.low for name, span in rules.command_spans(first).items()}
        first = replace(first, **{f"{n}_base": getattr(pads, n).words - sizes[n] for n in ("a", "b", "c")})
    if rules.command_status(command) == Status.OK:
        yield Scene((first,) * behind, command)


def _surround(author: Author, command: Command, place: int) -> None:
    """Adds transfers in and around the words of ``command``, the step at ``place``."""
    rules = author.rules
    spans = rules.command_spans(replace(command, start=Start.BIAS))
    for side, names in _SIDES:
        words = [word for n in names for word in (spans[n].low, spans[n].high - 1, spans[n].low - 1, spans[n].high)]
        regions = (command.region, 1 - command.region) if side == "c" else (0,)
        for region, word in itertools.product(regions, dict.fromkeys(words)):
            one = Transfer(word, 1, 1, region)
            if word < 0 or (region != command.region and word not in words[::4]) or not _exists(rules, side, one):
                continue
            author.load(side, one, dares=place)
            if side == "c":
                author.steps.append(Step(transfer=one, dares=place))


def _exists(rules: ReferenceCore, side: Port, transfer: Transfer) -> bool:
    return rules.transfer_status(side, transfer) == Status.OK
