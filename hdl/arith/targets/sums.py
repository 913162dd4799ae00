"""The one place that knows which adders a target has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from amaranth.hdl import Module, Mux, Signal, Value

from tilewright.hdl.arith.accumulate import accumulate
from tilewright.hdl.arith.targets.ecp5_adder import ecp5_add_selected
from tilewright.hdl.arith.targets.products import Target


def _add_selected(m: Module, platform: Any, select: Value, selected: Value, otherwise: Value, term: Value) -> Value:
    start = Signal(otherwise.shape(), name="start")
    m.d.comb += start.eq(Mux(select, selected, otherwise))
    return accumulate(m, start, term, len(otherwise), "wrap")


_SUMS: dict[Target, Callable[[Module, Any, Value, Value, Value, Value], Value]] = {
    "generic": _add_selected,
    "ecp5": ecp5_add_selected,
    "ice40": _add_selected,
}


def add_selected(
    m: Module, platform: Any, target: Target, select: Value, selected: Value, otherwise: Value, term: Value
) -> Value:
    """``term`` added to ``selected`` where ``select`` is high and else to ``otherwise``; combinational.

    All but ``select`` are signed; the sum wraps in the bits of ``otherwise``, as many as ``selected`` has.
    """
    return _SUMS[target](m, platform, select, selected, otherwise, term)
