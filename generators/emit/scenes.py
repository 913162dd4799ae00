"""What the test bench of a core does: products, loads while commands run, refusals."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

from tilewright.generators.config.systolic import SystolicConfig
from tilewright.generators.emit.interface import Interface
from tilewright.generators.emit.noise import Noise
from tilewright.generators.emit.program import Program
from tilewright.generators.reference.core import DATAFLOWS, Port, ReferenceCore
from tilewright.generators.reference.records import Command, Start, Status, Transfer
from tilewright.hdl.numeric import Format, FxFormat
from tilewright.hdl.numeric.window import LARGEST_POINT

HIGHEST = 0xFFFF
LARGEST_TILE = 32
"""Rows or columns of an array up to which whole tiles are tested in both directions at once."""
ROUNDS = {1: ((0, 0),) * 4, 3: ((0, 0), (1, 1), (2, 2), (0, 2), (1, 0))}
"""Dataflows (their places) of the commands of rounds, by how many the core has: each follows each."""
LARGE = ((0, 2), (0,), (2,), (1,), (0, 1))
"""Which of m, n, k are of several tiles, by round."""


def bench_program(config: SystolicConfig, outside: Interface) -> Program:
    """Every dataflow of the core on ragged and smallest shapes, and what must be refused.

    C starts from zero, a bias row and an old C; commands follow each other back to back, in all orders of dataflows,
    on the same and on other words, while operands are loaded and results read out at both ends of the scratchpads.
    """
    program = Program(config, outside)
    flows = DATAFLOWS[config.dataflow]
    for flow in flows:
        for m, n, k in _shapes(config):
            _products(program, Noise(f"{flow} {m} {n} {k}"), Command(m, n, k, flow))
    _smallest(program, Noise("smallest"), flows)
    _padding(program, Noise("padding"), flows[0])
    _in_use(program, Noise("in use"), flows)
    _refused_commands(program, Noise("refused commands"), flows[0])
    _refused_transfers(program, Noise("refused transfers"), flows[0])
    _rounds(program, Noise("rounds"), flows)  # last: a reset that comes when most is done finds everything at work
    return program


def _shapes(config: SystolicConfig) -> Iterator[tuple[int, int, int]]:
    """Shapes one beyond the tile; of large arrays in one direction at a time, to keep the vectors short."""
    depth = config.rows * config.vector
    if max(config.rows, config.cols, depth) <= LARGEST_TILE:
        yield config.rows + 1, config.cols + 1, depth + 1
    else:
        yield 2, config.cols + 1, 3
        yield 2, 2, depth + 1
        yield min(config.rows, LARGEST_TILE) + 1, 2, 2


def _products(program: Program, noise: Noise, wanted: Command) -> None:
    """Loads operands and runs three commands on them, which start from old C, zero and a bias row."""
    biased = _fitting(program.rules, replace(wanted, start=Start.BIAS))
    old, zero = replace(biased, start=Start.ACCUMULATE), replace(biased, start=Start.ZERO, region=1)
    spans = program.rules.command_spans(replace(biased, start=Start.BIAS))
    bias_base = spans["c"].high
    behind = replace(biased, region=1, bias_base=bias_base, c_base=bias_base + spans["bias"].high - spans["bias"].low)
    # Behind the C from zero, if there is room; else where the old C was, when that has been read out.
    at_once = program.rules.command_status(behind) == Status.OK
    biased = behind if at_once else biased
    _load_operands(program, noise, biased)
    program.load("c", noise.matrix(old.m, old.n, program.config.acc))
    program.wait()
    for command in (old, zero, biased)[: 3 if at_once else 2]:
        program.command(command)
    program.wait()
    _read(program, old)
    _read(program, zero)
    if not at_once:
        program.wait()
        program.command(biased)
        program.wait()
    _read(program, biased)
    program.wait()


def _smallest(program: Program, noise: Noise, flows: tuple[int, ...]) -> None:
    """Products of single elements in all dataflows and from all starts, as fast as they can be given."""
    config, words = program.config, program.config.scratchpads.c.words
    program.load("a", noise.matrix(1, 1, config.a))
    program.load("b", noise.matrix(1, 1, config.b))
    commands = [
        Command(1, 1, 1, flow, start, c_base=2 * place % words, bias_base=(2 * place + 1) % words, region=place % 2)
        for place, (flow, start) in enumerate(itertools.product(flows, Start))
    ]
    for command in commands:
        program.load("c", noise.matrix(1, 1, config.acc), command.c_base, command.region)
        program.load("c", noise.matrix(1, 1, config.acc), command.bias_base, command.region)
    program.wait()
    for command in commands:
        program.command(command)
    program.wait()
    for command in commands:
        _read(program, command)
    program.wait()


def _padding(program: Program, noise: Noise, flow: int) -> None:
    """A product with the lanes of A, B and C that were loaded as not kept: they hold zeros, whatever came in them."""
    config, rules = program.config, program.rules
    pads = config.scratchpads
    groups, cols = min(pads.a.lanes, LARGEST_TILE), min(pads.b.lanes, pads.c.lanes, LARGEST_TILE)
    command = _fitting(rules, Command(2, cols, groups * config.vector, flow, Start.ACCUMULATE))
    m, n, k = command.m, command.n, command.k
    program.load("a", noise.matrix(m, 1, config.a))
    program.load("b", noise.matrix(k, 1, config.b))
    program.load("c", noise.matrix(m, 1, config.acc))
    program.wait()
    program.command(command)
    program.wait()
    program.read(m, n)
    program.wait()


def _rounds(program: Program, noise: Noise, flows: tuple[int, ...]) -> None:
    """Products by turns at either end of the scratchpads and in either region, two commands each, one on the other's C.

    While those of one round run, the C before is read out and the operands of the next are loaded.
    """
    rounds = [(flows[first], flows[second]) for first, second in ROUNDS[len(flows)]]
    commands = [_placed(program, noise, index, first) for index, (first, _) in enumerate(rounds)]
    _load_round(program, noise, commands[0])
    for index, (command, (_, second)) in enumerate(zip(commands, rounds, strict=True)):
        program.wait("load_a_answer", "load_b_answer", "load_c_answer")
        before = program.commands
        program.command(command)
        program.command(replace(command, dataflow=second, start=Start.ACCUMULATE))
        if _holds_two(program.rules, command):
            program.wait_for_commands(before)
        else:
            program.wait()
        if index:
            _read(program, commands[index - 1])
            program.wait("read_c_answer")
        if index + 1 < len(commands):
            _load_round(program, noise, commands[index + 1])
    program.wait()
    _read(program, commands[-1])
    program.wait()


def _placed(program: Program, noise: Noise, index: int, flow: int) -> Command:
    """The first command of a round: operands at either end of the scratchpads by turns, C at either end of its own."""
    pads, rules = program.config.scratchpads, program.rules
    m, n, k = _round_shape(program.config, noise, index)
    while True:
        command = Command(m, n, k, flow, Start(index % len(Start)), region=index % 2)
        spans = rules.command_spans(replace(command, start=Start.BIAS))
        size = {name: span.high - span.low for name, span in spans.items()}
        fits = _holds_two(rules, command) and size["c"] + size["bias"] <= pads.c.words
        if fits or (m, n, k) == (1, 1, 1):
            break
        m, n, k = (max(1, extent // 2) for extent in (m, n, k))
    if index % 2:
        command = replace(command, a_base=pads.a.words - size["a"], b_base=pads.b.words - size["b"])
    if index // 2 % 2:
        command = replace(command, c_base=pads.c.words - size["c"])
    bias_base = size["c"] if command.c_base == 0 else command.c_base - size["bias"]
    biased = replace(command, bias_base=max(0, bias_base))
    return biased if rules.command_status(biased) == Status.OK else replace(command, start=Start.ZERO)


def _holds_two(rules: ReferenceCore, command: Command) -> bool:
    """Whether the operands of ``command`` take at most half of their scratchpads, so that others can be loaded."""
    spans, pads = rules.command_spans(command), rules.config.scratchpads
    return all(2 * (spans[side].high - spans[side].low) <= getattr(pads, side).words for side in ("a", "b"))


def _round_shape(config: SystolicConfig, noise: Noise, index: int) -> tuple[int, int, int]:
    """One or two extents of several tiles, by turns; the others anything small."""
    depth = min(config.rows * config.vector, LARGEST_TILE)
    large = (LARGEST_TILE, LARGEST_TILE, LARGEST_TILE + depth)
    m, n, k = (
        size + 1 + noise.number(2) if axis in LARGE[index] else 1 + noise.number(3) for axis, size in enumerate(large)
    )
    return m, n, k


def _load_round(program: Program, noise: Noise, command: Command) -> None:
    _load_operands(program, noise, command)
    if command.start == Start.ACCUMULATE:
        matrix = noise.matrix(command.m, command.n, program.config.acc)
        program.load("c", matrix, command.c_base, command.region)


def _in_use(program: Program, noise: Noise, flows: tuple[int, ...]) -> None:
    """Transfers into words of commands that are still at work: as many as the table holds, of which one has ended."""
    c = program.config
    if c.in_flight == 1:
        return  # who comes when it has ended comes too late
    command = _fitting(program.rules, Command(5, 5, 5 * c.vector, flows[-1]))
    _load_operands(program, noise, command)
    program.wait()
    before = program.commands
    program.command(command)
    for _ in range(c.in_flight - 1):
        program.command(replace(command, start=Start.ACCUMULATE))
    program.wait_for_commands(before + 1)
    program.load("a", noise.matrix(1, 1, c.a), used=True)
    program.load("b", noise.matrix(1, 1, c.b), used=True)
    program.load("c", noise.matrix(1, 1, c.acc), used=True)
    program.read(1, 1, used=True)
    program.wait()
    _read(program, command)
    program.wait()


def _refused_commands(program: Program, noise: Noise, flow: int) -> None:
    """Commands for every reason to refuse one, among others that run: all are answered in their order."""
    pads, rules = program.config.scratchpads, program.rules
    good = _fitting(rules, Command(2, 2, 2, flow, Start.BIAS))
    _load_operands(program, noise, good)
    program.load("c", noise.matrix(good.m, good.n, program.config.acc))
    program.wait()
    spans = rules.command_spans(good)
    words = {"a": pads.a.words, "b": pads.b.words, "c": pads.c.words, "bias": pads.c.words}
    beyond = {name: words[name] - (span.high - span.low) + 1 for name, span in spans.items()}
    changes: list[dict[str, int]] = [{"m": 0}, {"n": 0}, {"k": 0}, {"start": 3}]
    changes += [{"dataflow": number} for number in range(4) if number not in DATAFLOWS[program.config.dataflow]]
    changes += [{f"{name}_base": min(base, HIGHEST)} for name, base in beyond.items()]
    changes += [{f"{name}_base": HIGHEST} for name in words] + [{name: HIGHEST} for name in ("m", "n", "k")]
    changes += [{"bias_base": spans["c"].low}, {"bias_base": spans["c"].high - 1}]
    if isinstance(program.config.acc, FxFormat):
        changes += [{"point": -LARGEST_POINT - 1}, {"point": LARGEST_POINT + 1}]
    refused = [change for change in changes if rules.command_status(replace(good, **change)) != Status.OK]
    for index, change in enumerate(refused):  # the last word of the deepest scratchpads is legal
        program.command(replace(good, **change))
        if index % 16 == 0:
            program.command(replace(good, start=Start.ACCUMULATE))
    program.wait()
    _read(program, good)
    program.wait()


def _refused_transfers(program: Program, noise: Noise, flow: int) -> None:
    """Transfers that are empty, out of range, or of other lengths than announced; then a product of what is there."""
    config, rules = program.config, program.rules
    good = _fitting(rules, Command(2, 2, 2 * config.vector, flow))
    _load_operands(program, noise, good)
    program.load("c", noise.matrix(good.m, good.n, config.acc))
    program.wait()
    sides: tuple[tuple[Port, Format, int, int], ...] = (
        ("a", config.a, good.m, good.k),
        ("b", config.b, good.k, good.n),
        ("c", config.acc, good.m, good.n),
    )
    for port, fmt, rows, cols in sides:
        words = getattr(config.scratchpads, port).words
        for announced in ((0, cols), (rows, 0)):
            program.load(port, noise.matrix(0, 1, fmt), announced=announced)
        span = rules.transfer_span(port, Transfer(0, rows, cols))
        program.load(port, noise.matrix(rows, cols, fmt), base=min(words - (span.high - span.low) + 1, HIGHEST))
        program.load(port, noise.matrix(2, 1, fmt), announced=(HIGHEST, HIGHEST))
        program.load(port, noise.matrix(1, cols, fmt), announced=(rows, cols))
        program.load(port, noise.matrix(rows + 2, cols, fmt), announced=(rows, cols))
    program.wait()
    for announced in ((0, 1), (1, 0), (HIGHEST, HIGHEST)):
        program.read(*announced)
    program.read(2, 1, base=min(config.scratchpads.c.words, HIGHEST))
    program.wait()
    program.command(replace(good, start=Start.ACCUMULATE))
    program.wait()
    _read(program, good)
    program.wait()


def _load_operands(program: Program, noise: Noise, command: Command) -> None:
    """Loads A, B and, if there is one, the bias row of ``command``."""
    config, m, n, k = program.config, command.m, command.n, command.k
    program.load("a", noise.matrix(m, k, config.a), command.a_base)
    program.load("b", noise.matrix(k, n, config.b), command.b_base)
    if command.start == Start.BIAS:
        program.load("c", noise.matrix(1, n, config.acc), command.bias_base, command.region)


def _read(program: Program, command: Command) -> None:
    program.read(command.m, command.n, command.c_base, command.region)


def _fitting(rules: ReferenceCore, command: Command) -> Command:
    """``command`` with its bias row behind C; halved until it fits, and from zero if not even that fits."""
    while True:
        biased = replace(command, bias_base=rules.command_spans(command)["c"].high)
        if rules.command_status(biased) == Status.OK:
            return biased
        m, n, k = (max(1, extent // 2) for extent in (command.m, command.n, command.k))
        if (m, n, k) == (command.m, command.n, command.k):
            return replace(command, start=Start.ZERO)
        command = replace(command, m=m, n=n, k=k)
