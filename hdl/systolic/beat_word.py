"""What a beat of a load writes into a scratchpad."""

from __future__ import annotations

from typing import Any, Literal

from amaranth.hdl import Cat, Module, Value, ValueLike

from tilewright.hdl.memory import Geometry
from tilewright.hdl.structure import named

Along = Literal["row", "column"]


def beat_values(geometry: Geometry, along: Along) -> int:
    """Values of a beat: along a row those of all slots, else one of each element."""
    return geometry.lanes * (geometry.slots if along == "row" else 1)


def stored_word(
    m: Module, beat: Any, geometry: Geometry, along: Along, row: Value, keep: Value | None = None
) -> tuple[Value, ValueLike]:
    """(the word, its slots to write) of ``beat``, which is of row ``row``.

    Values that ``keep``, by default the beat's, does not keep are zero.
    """
    w, slots = geometry.width, geometry.slots
    values = beat_values(geometry, along)
    kept_ones = beat.keep if keep is None else keep
    kept = [beat.data[v * w : (v + 1) * w] & kept_ones[v].replicate(w) for v in range(values)]
    if along == "row":
        return Cat(kept), (1 << slots) - 1
    kept = [named(m, value, f"value_{lane}") for lane, value in enumerate(kept)]
    word = Cat(value.replicate(slots) for value in kept)
    return word, 1 << row[: slots.bit_length() - 1] if slots > 1 else 1
