"""The bursts that a matrix in memory is moved in, and what each takes on the way between the bus and the core."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from tilewright.generators.reference.engine_box import elements
from tilewright.generators.reference.engine_spans import MOST_RUNS, Runs, joins, runs

PAGE = 4096


class Step:
    """What a cycle of the data side does with a cut: bytes that go from one beat of the bus to one word, or back."""

    CUTS = 1  # of a store: else what was left over when a beat was filled follows on its own
    BEGINS = 2  # of a store: with a word
    ENDS = 4  # the word of a store, the beat of a load
    GIVES = 8  # a beat of a store, a word of a load
    SPILLS = 16  # of a load: a second word follows, with what was left over
    FILLS = 32  # of a load: values that are not in memory
    RUN = 64  # ends a run


class Burst(NamedTuple):
    """A burst of ``beats`` of the bus.

    Attributes:
        beats: of the bus; none where nothing is in memory.
        steps: of the data side, see `Step`; a load's end each beat.
        even: whether a load takes one for each beat.
        words: beats of the core's port that a load gives.
        runs: those of its span, and those before it that are not in memory.
        ends: whether it ends its span.
        behind: runs behind the last burst that are not in memory.
    """

    beats: int
    steps: tuple[int, ...]
    even: bool
    words: int
    runs: int
    ends: bool
    behind: int = 0


class Shape(NamedTuple):
    """What bursts depend on besides addresses: bytes of the bus, of the longest burst, of a beat of the core's port;
    whether they are read."""

    bus: int
    longest: int
    word: int
    reads: bool


Bursts = tuple[Burst, ...]
Run = tuple[int, bool]
"""Bytes; whether it ends a row."""


def bursts(fields: Mapping[str, int], tensor: Mapping[str, int], value_bytes: int, shape: Shape, bits: int) -> Bursts:
    """The bursts of a box, in order. ``bits``: of an address.

    A box wholly in padding reads nothing; it stands here as one beat that takes as long as its words.
    """
    rows, cols = fields["rows"], fields["cols"]
    plain = tensor.get("x_size") == tensor.get("y_size") == tensor.get("tap_x_count") == 1
    plain = plain and not tensor.get("x_first") and not fields.get("x_row") and not fields.get("y_row")
    if plain and fields.get("line_start", 0) + cols <= tensor["line"] and rows <= tensor["out_x_count"]:
        first, pitch = fields["address"] + fields.get("line_start", 0) * value_bytes, tensor["out_x_stride"]
        follow = pitch == cols * value_bytes
        return _plain(first % PAGE, pitch if follow else pitch % PAGE, rows, cols * value_bytes, shape, follow)
    box = {name: 0 for name in _BOX} | dict(fields)
    found = runs(elements({name: 0 for name in _TENSOR} | dict(tensor), box, value_bytes, bits), value_bytes)
    if not found.inside.any():
        pieces = list(zip(found.size.tolist(), found.row_end.tolist(), strict=True))
        steps, words, _ = _fills(pieces, 0, shape)
        return (Burst(0, steps, False, words, len(pieces), True),)
    return tuple(_of_spans(_spans(found, shape), shape))


@lru_cache(maxsize=4096)
def _plain(first: int, pitch: int, rows: int, length: int, shape: Shape, follow: bool) -> Bursts:
    together = min(MOST_RUNS, -(-shape.longest // length)) if follow else 1
    spans = ((first + row * pitch, min(together, rows - row)) for row in range(0, rows, together))
    return tuple(_of_spans(((address, ((length, True),) * count) for address, count in spans), shape))


def _spans(found: Runs, shape: Shape) -> Iterator[tuple[int, tuple[Run, ...]]]:
    """Address and runs of each span; address -1 for a run that is not in memory."""
    joined = joins(found, shape.longest)
    span: list[Run] = []
    begin = -1
    columns = (found.address, found.size, found.inside, found.row_end, joined)
    for address, size, inside, row_end, goes_on in zip(*(each.tolist() for each in columns), strict=True):
        if not span:
            begin = address if inside else -1
        span.append((size, row_end))
        if not goes_on:
            yield begin, tuple(span)
            span = []


def _of_spans(spans: Iterable[tuple[int, tuple[Run, ...]]], shape: Shape) -> Iterator[Burst]:
    """Bursts of spans. What is not in memory is made behind the burst before it, or is a first burst of no beats.

    Its runs count as those of the burst that comes next, whose runs are walked behind them.
    """
    filled = skipped = made = 0
    fills: tuple[int, ...] = ()
    last: Burst | None = None
    for address, span in spans:
        if address < 0:
            steps, words, filled = _fills(span, filled, shape)
            fills, made, skipped = fills + steps, made + words, skipped + len(span)
            continue
        found, filled = _of_span(address % PAGE, span, filled, shape)
        for burst in found:
            if last is not None:
                yield _followed(last, fills, made)
                last = burst._replace(runs=burst.runs + skipped) if skipped else burst
            else:
                if fills:
                    yield Burst(0, fills, False, made, skipped, True)
                last = burst
            fills, made, skipped = (), 0, 0 if burst.ends else skipped
    if last is not None:
        yield _followed(last._replace(behind=skipped), fills, made)


def _followed(burst: Burst, fills: tuple[int, ...], words: int) -> Burst:
    """A burst and what comes behind it that is not in memory."""
    return burst._replace(steps=burst.steps + fills, even=False, words=burst.words + words) if fills else burst


def _fills(span: Iterable[Run], filled: int, shape: Shape) -> tuple[tuple[int, ...], int, int]:
    """Steps and words of runs that are not in memory, and bytes that wait for the next one."""
    steps: list[int] = []
    most = min(shape.bus, shape.word)
    for size, row_end in span:
        for done in range(0, size, most):
            last = done + most >= size
            step, filled = _placed(filled + min(most, size - done), row_end and last, shape.word)
            steps.append(step | Step.FILLS | (Step.RUN if last else 0))
    return tuple(steps), _words(steps), filled


def _placed(filled: int, closes: bool, word: int) -> tuple[int, int]:
    """What a cut gives where ``filled`` bytes wait with it, and those that wait then; ``closes``: it ends its row."""
    if filled < word and not closes:
        return 0, filled
    step = Step.GIVES | (Step.SPILLS if closes and filled > word else 0)
    return step, 0 if closes else filled - word


def _words(steps: Iterable[int]) -> int:
    return sum(((step & Step.GIVES) > 0) + ((step & Step.SPILLS) > 0) for step in steps)


@lru_cache(maxsize=1 << 14)
def _of_span(address: int, span: tuple[Run, ...], filled: int, shape: Shape) -> tuple[tuple[Burst, ...], int]:
    """Bursts of a span, and bytes that wait for the next one. ``filled``: those that waited before."""
    made, filled = (_read if shape.reads else _written)(address % shape.bus, span, filled, shape)
    found: list[Burst] = []
    done = 0
    while done < len(made):
        beat = address // shape.bus + done
        count = min(len(made) - done, shape.longest // shape.bus, PAGE // shape.bus - beat % (PAGE // shape.bus))
        steps = tuple(step for each in made[done : done + count] for step in each)
        done += count
        even = len(steps) == count and not any(step & Step.SPILLS for step in steps)
        found.append(Burst(count, steps, even, _words(steps), len(span), done == len(made)))
    return tuple(found), filled


def _read(at: int, span: Iterable[Run], filled: int, shape: Shape) -> tuple[list[list[int]], int]:
    """Steps of each beat of a span from byte ``at`` of the bus on: a cut has no more than a word's bytes."""
    made: list[list[int]] = [[]]
    most = min(shape.bus, shape.word)
    for size, row_end in span:
        left = size
        while left:
            if at == shape.bus:
                at = 0
                made[-1][-1] |= Step.ENDS
                made.append([])
            room = shape.bus - at
            count = min(room if room <= most else most, left)
            left, at = left - count, at + count
            step, filled = _placed(filled + count, row_end and not left, shape.word)
            made[-1].append(step if left else step | Step.RUN)
    made[-1][-1] |= Step.ENDS
    return made, filled


def _written(at: int, span: Sequence[Run], filled: int, shape: Shape) -> tuple[list[list[int]], int]:
    """Steps of each beat of a span to byte ``at`` of the bus on: a cut has what the bus has room for of a word."""
    made: list[list[int]] = []
    steps: list[int] = []
    word = 0
    for size, row_end in span:
        left = size
        while left:
            count = min(shape.word - word, shape.bus - word % shape.bus, left)
            step = Step.CUTS if word else Step.CUTS | Step.BEGINS
            left, at, word = left - count, at + count, word + count
            if word == shape.word or (row_end and not left):
                step |= Step.ENDS
                word = 0
            steps.append(step if left else step | Step.RUN)
            if at >= shape.bus:
                steps[-1] |= Step.GIVES
                made.append(steps)
                at, steps = at - shape.bus, []
    if at:
        steps = steps or [0]
        steps[-1] |= Step.GIVES
        made.append(steps)
    return made, filled


_BOX = ("out_x_start", "out_y_start", "tap_x_start", "line_start", "out_x_offset", "tap_x_offset", "tap_y_offset",
        "x_row", "x_column", "y_row", "y_column")  # fmt: skip
_TENSOR = ("tap_x_stride", "tap_y_stride", "out_y_stride", "batch_stride", "x_first", "x_out_step", "x_tap_step",
           "y_first", "y_out_step", "y_tap_step", "fill")  # fmt: skip
