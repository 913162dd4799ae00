"""The bursts that a matrix in memory is moved in, and what each takes on the way between the bus and the core."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from tilewright.generators.reference.engine_box import elements

PAGE = 4096


class Burst(NamedTuple):
    """``beats`` of the bus; ``paced`` cycles at least in which the data side deals with them, ``late`` of these after
    the last beat; ``words``: beats of the core's port that end with it; ``run``: it is the last of its run; ``spill``:
    1 where bytes are left over when the last beat has filled a word."""

    beats: int
    paced: int
    late: int
    words: int
    run: bool
    spill: int


class Shape(NamedTuple):
    """What bursts depend on besides addresses: bytes of the bus, longest burst, bytes of a beat of the core's port."""

    bus: int
    longest: int
    word: int


Bursts = tuple[Burst, ...]


def bursts(fields: Mapping[str, int], tensor: Mapping[str, int], value_bytes: int, shape: Shape, bits: int) -> Bursts:
    """The bursts of a box, in order. ``bits``: of an address.

    A box wholly in padding reads nothing; it stands here as one beat that takes as long as its words.
    """
    rows, cols = fields["rows"], fields["cols"]
    plain = tensor.get("x_size") == tensor.get("y_size") == tensor.get("tap_x_count") == 1
    plain = plain and not tensor.get("x_first") and not fields.get("x_row") and not fields.get("y_row")
    if plain and fields.get("line_start", 0) + cols <= tensor["line"] and rows <= tensor["out_x_count"]:
        first = fields["address"] + fields.get("line_start", 0) * value_bytes
        return _plain(first % PAGE, tensor["out_x_stride"] % PAGE, rows, cols * value_bytes, shape)
    box = {name: 0 for name in _BOX} | dict(fields)
    found = elements({name: 0 for name in _TENSOR} | dict(tensor), box, value_bytes, bits)
    flat = found.begins.reshape(-1)
    starts = np.flatnonzero(flat)
    sizes = np.diff(np.append(starts, flat.size)) * value_bytes
    inside = found.inside.reshape(-1)[starts]
    if not inside.any():
        words = rows * -(-cols * value_bytes // shape.word)
        return (Burst(1, words, words - 1, words, True, 0),)
    at = found.address.reshape(-1)[starts]
    return tuple(_cut(zip(at[inside].tolist(), sizes[inside].tolist(), strict=True), shape))


@lru_cache(maxsize=4096)
def _plain(first: int, pitch: int, rows: int, length: int, shape: Shape) -> Bursts:
    return tuple(_cut(((first + row * pitch, length) for row in range(rows)), shape))


def _cut(runs: Iterable[tuple[int, int]], shape: Shape) -> Iterable[Burst]:
    """Bursts of runs, each a row of its own."""
    known: dict[tuple[int, int], tuple[Burst, ...]] = {}
    for address, length in runs:
        key = address % PAGE, length
        if key not in known:
            known[key] = tuple(_of_run(*key, shape))
        yield from known[key]


def _of_run(address: int, length: int, shape: Shape) -> Iterable[Burst]:
    bus, longest, word = shape
    step, done = min(bus, word), 0
    while done < length:
        beat = (address + done) // bus
        count = min(-(-(address + length) // bus) - beat, longest, PAGE // bus - beat % (PAGE // bus))
        paced = late = 0
        before = done
        for _ in range(count):
            size = min(bus - (address + done) % bus, length - done)
            late = -(-size // step)
            paced, done = paced + late, done + size
        final = done == length
        words = done // word - before // word + (final and length % word > 0)
        # Bytes that are left over when the last beat has filled a word are one word more, a cycle later.
        spill = int(final and 0 < length % word < size - (late - 1) * step)
        yield Burst(count, max(paced, words), late + spill - 1, words, final, spill)


_BOX = ("out_x_start", "out_y_start", "tap_x_start", "line_start", "out_x_offset", "tap_x_offset", "tap_y_offset",
        "x_row", "x_column", "y_row", "y_column")  # fmt: skip
_TENSOR = ("tap_x_stride", "tap_y_stride", "out_y_stride", "batch_stride", "x_first", "x_out_step", "x_tap_step",
           "y_first", "y_out_step", "y_tap_step", "fill")  # fmt: skip
