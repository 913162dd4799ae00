"""Orders to the movers, made of instructions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from amaranth.hdl import Module, Signal, Value
from amaranth.lib import data

from tilewright.hdl.engine.records import HEAD, TENSOR


def make_order(m: Module, order: Any, box: Any, shape: Value, elements: Mapping[int, int]) -> None:
    """Fills ``order`` from a BOX and the TENSOR it is a part of, whose head ``shape`` lacks.

    ``elements``: log2 of the bytes of a value in memory, by ``target``, in the order of the mover's streams.
    """
    tensor = data.View(data.StructLayout(_without_head(TENSOR)), shape)
    element = Signal(range(max(elements.values()) + 1), name="element")
    with m.Switch(box.target):
        for target, size in elements.items():
            with m.Case(target):
                m.d.comb += element.eq(size)
    layout = data.Layout.cast(order.shape())
    for part, source in (("box", box), ("tensor", tensor)):
        for field in layout[part].shape.members:
            m.d.comb += Value.cast(order[part][field]).eq(Value.cast(source[field]))
    m.d.comb += [order.element.eq(element), order.stream.eq(box.target), order.tag.eq(box.head.tag)]
    with m.Switch(box.target):
        for number, target in enumerate(elements):
            if number != target:  # one before it was not built in
                with m.Case(target):
                    m.d.comb += order.stream.eq(number)


def _without_head(layout: data.StructLayout) -> dict[str, Any]:
    assert layout["head"].offset == 0 and layout["head"].width == HEAD.size
    return {name: shape for name, shape in layout.members.items() if name != "head"}
