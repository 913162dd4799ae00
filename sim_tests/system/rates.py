"""How fast matrices come and go where nobody pauses: one beat a cycle, on all ports at once."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from tilewright.generators.reference.core import Port
from tilewright.generators.reference.records import Command, Start, Status, Transfer
from tilewright.sim_tests.drivers.core_result import CoreResult, Operation
from tilewright.sim_tests.harness import Stall
from tilewright.sim_tests.system.bench import Bench
from tilewright.sim_tests.system.program import Step
from tilewright.sim_tests.system.shapes import cycles_alone, fitting, longest

MOST = 64  # words of a transfer beside a command
DECIDED = 10  # cycles after which a transfer has its words
APART = 1000  # cycles from one command to the next, of which slow transfers take the most


def rates(bench: Bench) -> None:
    """Loads and read-outs take a beat a cycle, beside a command in the other region too, which they do not slow."""
    steps = bench.author(filled=True).steps
    for region in (0, 1):
        pad = bench.config.scratchpads.c
        words = min(pad.words, MOST)
        steps.append(Step(transfer=Transfer(0, words, pad.lanes, region), after=tuple(range(len(steps)))))
        steps.append(Step(transfer=Transfer(0, 1, words * pad.lanes, region)))
    check_rates(bench, bench.run(steps), steps)
    for index, dataflow in enumerate(bench.dataflows):
        command = longest(bench.rules, dataflow, Start.ZERO, spare=4)
        steps = beside(bench, replace(command, region=index % 2))
        result = bench.run(steps)
        check_rates(bench, result, steps)
        (operation,) = (o for o in result.operations if o.stream == "command")
        _check_cycles(bench, result, operation, command)


def undelayed(bench: Bench) -> None:
    """A command does not wait for slow transfers, taken before it, of words right beside its own."""
    author = bench.author()
    offers: list[int] = []
    begin = 0
    commands = []
    for index, (start, above) in enumerate(itertools.product(Start, (False, True))):
        command = _small(bench, start, region=index % 2)
        for side, transfer in _next_to(bench, command, above=above):
            author.steps.append(author.loading(side, transfer))
            if side == "c":
                author.steps.append(Step(transfer=transfer))
        author.steps.append(Step(command=command))
        commands.append((len(author.steps) - 1, command))
        offers += [begin] * (len(author.steps) - len(offers) - 1) + [begin + DECIDED]
        begin += APART
    ports = ("load_a_beats", "load_b_beats", "load_c_beats", "read_c_beats")
    result = bench.run(author.steps, {port: Stall(0.98) for port in ports}, offers)
    for place, command in commands:
        _check_cycles(bench, result, result.operations[place], command)


def beside(bench: Bench, command: Command) -> list[Step]:
    """``command``, and transfers of words that it does not use, on all ports at the same time."""
    author = bench.author(filled=True)
    author.steps.append(Step(command=command, after=tuple(range(len(author.steps)))))
    place = len(author.steps) - 1
    author.careless = 1.0  # they wait for nothing but the command, and not for each other
    for side, transfer in _unused(bench, command):
        author.load(side, transfer, dares=place)
    pad = bench.config.scratchpads.c
    half = min(pad.words, MOST) // 2
    if half:
        author.load("c", Transfer(0, half, pad.lanes, 1 - command.region), dares=place)
        author.steps.append(Step(transfer=Transfer(half, half, pad.lanes, 1 - command.region), dares=place))
    return author.steps


def check_rates(bench: Bench, result: CoreResult, steps: Sequence[Step]) -> None:
    """SimulationFailed where the beats of a transfer do not come in consecutive cycles."""
    at = Counter[str]()
    for step, operation in zip(steps, result.operations, strict=True):
        if step.transfer is None or result.answer(operation)[0] != Status.OK:
            continue
        stream = operation.stream.replace("_command", "_beats")
        beats = bench.rules.beats(step.side, step.transfer.rows, step.transfer.cols)
        cycles = result.result[stream].cycle[at[stream] : at[stream] + beats]
        at[stream] += beats
        late = np.flatnonzero(np.diff(cycles) != 1)
        if len(late):
            beat = int(late[0]) + 1
            raise result.run.failure(
                f"{step}: expected a beat a cycle, got beat {beat} in cycle {cycles[beat]} after one in cycle "
                f"{cycles[beat - 1]}",
                cycle=int(cycles[beat]),
                stream=stream,
            )


def _check_cycles(bench: Bench, result: CoreResult, operation: Operation, command: Command) -> None:
    """SimulationFailed where ``command``, alone in the core, does not take the cycles of the model."""
    wanted = cycles_alone(bench.rules, command)
    got = result.offered(operation) - result.taken(operation)
    if got != wanted:
        raise result.run.failure(
            f"{command} beside loads and read-outs: expected {wanted} cycles, got {got}",
            cycle=result.offered(operation),
            stream="completion",
        )
    bench.points += 1


def _unused(bench: Bench, command: Command) -> Iterator[tuple[Port, Transfer]]:
    """Words of A and B behind those of ``command``, in whole rows of words."""
    spans, pads = bench.rules.command_spans(command), bench.config.scratchpads
    sides: tuple[Port, ...] = ("a", "b")
    for side in sides:
        words = min(MOST, getattr(pads, side).words - spans[side].high)
        if words > 0:
            rows = words * bench.config.vector if side == "b" else words
            yield side, Transfer(spans[side].high, rows, bench.rules.beat_values(side))


def _small(bench: Bench, start: Start, region: int) -> Command:
    """A command of two panels or less with free words around its matrices where there is room."""
    wanted = Command(2, bench.config.cols + 1, 2, bench.dataflows[-1], start)
    command = fitting(bench.rules, wanted, spare=2)
    moved = replace(command, a_base=1, b_base=1, c_base=1, bias_base=command.bias_base + 1)
    return replace(moved if bench.rules.command_status(moved) == Status.OK else command, region=region)


def _next_to(bench: Bench, command: Command, *, above: bool) -> Iterator[tuple[Port, Transfer]]:
    """A value of each scratchpad right below or above the words of ``command``; one of C, in the other region too."""
    spans = bench.rules.command_spans(command)
    last = "bias" if command.start == Start.BIAS else "c"
    sides: tuple[tuple[Port, int, int], ...] = (
        ("a", spans["a"].low - 1, spans["a"].high),
        ("b", spans["b"].low - 1, spans["b"].high),
        ("c", spans["c"].low - 1, spans[last].high),
    )
    for side, low, high in sides:
        one = Transfer(high if above else low, 1, 1, command.region if side == "c" else 0)
        if one.base >= 0 and bench.rules.transfer_status(side, one) == Status.OK:
            yield side, one
    if above:
        yield "c", Transfer(spans["c"].low, 1, 1, 1 - command.region)
