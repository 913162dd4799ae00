"""Where matrices may lie, at every edge of it, and every other reason to refuse a command or transfer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tilewright.generators.reference.core import Port, ReferenceCore
from tilewright.generators.reference.records import Command, Start, Status, Transfer
from tilewright.hdl.numeric import FxFormat
from tilewright.hdl.numeric.window import LARGEST_POINT
from tilewright.sim_tests.system.bench import Bench
from tilewright.sim_tests.system.looks import look_at_operands
from tilewright.sim_tests.system.program import Author, Step
from tilewright.sim_tests.system.shapes import cycles_alone, fitting, longest, powers

HIGHEST = 65_535  # of a field
LONG = 2_000  # beats or cycles beyond which only the longest of several legal transfers or commands is run
CHECKED = 20  # cycles in which a refused transfer is surely checked

_SIDES: tuple[Port, ...] = ("a", "b", "c")


def transfers_at_edges(bench: Bench) -> None:
    """Every load and read-out is refused exactly where it leaves its scratchpad, and then changes nothing.

    Loads of fewer or more beats than announced are told so; the beats up to either end are written.
    """
    author = bench.author()
    author.fill(telling=True)
    for side in _SIDES:
        for index, transfer in enumerate(_practical_transfers(bench.rules, side, edge_transfers(bench.rules, side))):
            placed = replace(transfer, region=index % 2 if side == "c" else 0)
            legal = bench.rules.transfer_status(side, placed) == Status.OK
            empty = 0 in (placed.rows, placed.cols)
            author.load(side, placed, None if legal or empty else (2, 3))
            if side == "c":
                author.add(Step(transfer=placed))
        _add_other_lengths(author, side)
    author.look_at_everything()
    look_at_operands(author)
    bench.run(author.steps)


def sizes_at_edges(bench: Bench) -> None:
    """Transfers of every number of rows and columns that just fit, and that just do not.

    They are tried while commands use their words: what would be legal is then refused as in use, without its beats.
    """
    author = bench.author()
    command = longest(bench.rules, bench.dataflows[0], Start.ZERO)
    found = {side: [*edge_transfers(bench.rules, side), *sized_transfers(bench.rules, side)] for side in _SIDES}
    cycles = CHECKED * max(len(transfers) for transfers in found.values())
    working = 2 + cycles // cycles_alone(bench.rules, command)
    author.steps += [Step(command=command)] * working
    for side, transfers in found.items():
        for transfer in transfers:
            if 0 in (transfer.rows, transfer.cols) or transfer.base:
                continue
            author.steps.append(replace(author.loading(side, transfer, (1, 1)), dares=0))
            if side == "c":
                author.steps.append(Step(transfer=transfer, dares=0))
    bench.run(author.steps)


def commands_at_edges(bench: Bench) -> None:
    """Every command is refused exactly where it is illegal, and then changes nothing."""
    author = bench.author()
    author.fill(telling=True)
    dataflow = bench.dataflows[-1]
    edges = edge_commands(bench.rules, dataflow)
    # That a bias row lies in C is looked at last: what would be legal is then refused at no cost.
    quick = [replace(command, start=Start.BIAS, bias_base=command.c_base) for command in edges]
    for command in (*_practical_commands(bench.rules, edges), *quick, *illegal_commands(bench.rules, dataflow)):
        author.add(Step(command=command))
        if bench.rules.command_status(command) == Status.OK:
            author.add(Step(transfer=Transfer(command.c_base, command.m, command.n, command.region)))
    author.look_at_everything()
    look_at_operands(author)
    bench.run(author.steps)


def edge_transfers(rules: ReferenceCore, side: Port) -> list[Transfer]:
    """Legal and illegal transfers of a scratchpad, at all its edges."""
    words, values = getattr(rules.config.scratchpads, side).words, rules.beat_values(side)
    rows = sorted({*_edges(words), *_edges(words * rules.config.vector if side == "b" else words)})
    cols = sorted({*_edges(words), *_edges(words * values)})
    found = [Transfer(0, r, c) for r in (0, 1, 3) for c in (0, *cols)]
    found += [Transfer(0, r, c) for r in (0, *rows) for c in (0, 1, 3)]
    for r, c in ((1, 1), (2, 7), (words, 1)):
        span = rules.transfer_span(side, Transfer(0, r, c))
        found += [Transfer(base, r, c) for base in _bases(words, span.high - span.low)]
    return list(dict.fromkeys(found))


def sized_transfers(rules: ReferenceCore, side: Port) -> list[Transfer]:
    """Transfers from word 0 on of many numbers of rows, with as many columns as fit and one more."""
    words, values = getattr(rules.config.scratchpads, side).words, rules.beat_values(side)
    per_row = rules.config.vector if side == "b" else 1
    found = [(r * per_row, p * values + more) for r, p in factors(words) for more in (0, 1)]
    return [Transfer(0, rows, cols) for rows, cols in found if max(rows, cols) <= HIGHEST]


def factors(words: int) -> list[tuple[int, int]]:
    """Pairs of numbers whose product is ``words`` or just less: small numbers and powers of two with all others."""
    some = {3, 5, 6, 7, *(1 << bit for bit in range(words.bit_length()))}
    pairs = [(number, words // number) for number in sorted(some) if number <= words]
    return list(dict.fromkeys([*pairs, *(pair[::-1] for pair in pairs)]))


def edge_commands(rules: ReferenceCore, dataflow: int) -> list[Command]:
    """Legal and illegal commands whose matrices lie at all edges of the scratchpads, and beside each other."""
    pads, vector = rules.config.scratchpads, rules.config.vector
    a, b, c = pads.a.words, pads.b.words, pads.c.words
    extents = {
        "m": {*_edges(a), *_edges(c)},
        "n": {*_edges(b), *_edges(c), *_edges(b * pads.b.lanes), *_edges(c * pads.c.lanes)},
        "k": {*_edges(a), *_edges(b), *_edges(a * pads.a.lanes * vector), *_edges(b * vector)},
    }
    one = Command(1, 1, 1, dataflow)
    found = [replace(one, **{name: size}) for name, sizes in extents.items() for size in sorted(sizes)]
    for m, n, k in ((1, 1, 1), (2, 7, 3), (3, 2, 2 * vector + 1)):
        found += _at_bases(rules, Command(m, n, k, dataflow, Start.BIAS))
    for power in powers(c):
        at_power = replace(one, start=Start.BIAS, c_base=power - 1)
        found += [replace(at_power, bias_base=word) for word in (power - 2, power - 1, power) if word >= 0]
    found += [replace(one, m=x, k=y * pads.a.lanes * vector + more) for x, y in factors(a) for more in (0, 1)]
    found += [replace(one, k=x * vector, n=y * pads.b.lanes + more) for x, y in factors(b) for more in (0, 1)]
    found += [replace(one, m=x, n=y * pads.c.lanes + more) for x, y in factors(c) for more in (0, 1)]
    return list(dict.fromkeys(command for command in found if max(command.m, command.n, command.k) <= HIGHEST))


def illegal_commands(rules: ReferenceCore, dataflow: int) -> list[Command]:
    """Commands for every other reason to refuse one, and two reasons at once."""
    good = fitting(rules, Command(2, 2, 2, dataflow))
    empty = [{name: 0} for name in ("m", "n", "k")]
    kinds: list[dict[str, int]] = [{"dataflow": number} for number in range(4)] + [{"start": 3}]
    if isinstance(rules.config.acc, FxFormat):
        kinds += [{"point": point} for point in (LARGEST_POINT + 1, -LARGEST_POINT - 1, (1 << 15) - 1, -(1 << 15))]
    huge: list[dict[str, int]] = [{"m": HIGHEST, "n": HIGHEST, "k": HIGHEST}, {"m": HIGHEST, "n": HIGHEST}]
    single = [*empty, *kinds, *huge]
    double = [one | other for one in single for other in single if one is not other]
    return [replace(good, region=index % 2, **change) for index, change in enumerate([*single, *double])]


def _edges(words: int) -> list[int]:
    """Numbers around a scratchpad's depth, around the widths that hold it, and the largest of a field."""
    power = 1 << words.bit_length()
    around = [words, power // 2, power, 2 * power, 1 << 15]
    return [1, 2, *(n + d for n in around for d in (-1, 0, 1) if 0 < n + d <= HIGHEST), HIGHEST - 1, HIGHEST]


def _bases(words: int, size: int) -> list[int]:
    """Where ``size`` words just fit, just do not, and where base plus size leaves every width."""
    power = 1 << words.bit_length()
    found = {0, words - size, words - size + 1, words - 1, words, HIGHEST + 1 - size, HIGHEST, power - size}
    return sorted(base for base in found if 0 <= base <= HIGHEST)


def _at_bases(rules: ReferenceCore, command: Command) -> Iterator[Command]:
    """``command`` with each of its matrices at all edges in turn, and its bias row at all edges of C."""
    words = {name: getattr(rules.config.scratchpads, name).words for name in "abc"} | {
        "bias": rules.config.scratchpads.c.words
    }
    sizes = {name: span.high - span.low for name, span in rules.command_spans(command).items()}
    behind = replace(command, bias_base=words["bias"] - sizes["bias"] if words["bias"] > sizes["bias"] else 0)
    for name, depth in words.items():
        for base in _bases(depth, sizes[name]):
            placed = replace(behind, **{f"{name}_base": base})
            # The bias row is at the other end of the scratchpad than C.
            yield replace(placed, bias_base=0) if name == "c" and base >= sizes["bias"] else placed
            yield replace(placed, start=Start.ACCUMULATE)
    low = min(sizes["bias"] + 1, words["c"])
    for base in (low - sizes["bias"] - 1, low - sizes["bias"], low - sizes["bias"] + 1, low + sizes["c"] - 1):
        if base >= 0:
            yield replace(command, c_base=low, bias_base=base)
            yield replace(command, c_base=low, bias_base=base, start=Start.ZERO)
    yield replace(command, c_base=low, bias_base=low + sizes["c"])


def _practical_transfers(rules: ReferenceCore, side: Port, transfers: list[Transfer]) -> list[Transfer]:
    """``transfers`` without the long ones, but the longest of all."""
    legal = {t: rules.beats(side, t.rows, t.cols) for t in transfers if rules.transfer_status(side, t) == Status.OK}
    return [t for t in transfers if legal.get(t, 0) <= LONG or legal[t] == max(legal.values())]


def _practical_commands(rules: ReferenceCore, commands: list[Command]) -> list[Command]:
    """``commands`` without the long ones, but the longest of all."""
    legal = {c: cycles_alone(rules, c) for c in commands if rules.command_status(c) == Status.OK}
    return [c for c in commands if legal.get(c, 0) <= LONG or legal[c] == max(legal.values())]


def _add_other_lengths(author: Author, side: Port) -> None:
    """Adds loads whose beats are fewer or more than announced."""
    values = author.rules.beat_values(side)
    for rows, cols in ((1, 1), (3, values), (2, 2 * values + 1), (2 * author.config.vector, values)):
        for sent in ((rows - 1, cols), (rows + 1, cols), (rows, cols - values), (rows, cols + values), (1, 1)):
            if min(sent) > 0:
                author.load(side, Transfer(0, rows, cols), sent)
