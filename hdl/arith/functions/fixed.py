"""Results that are constants."""

from __future__ import annotations

from collections.abc import Mapping

from amaranth.hdl import Module, Mux, Signal, Value, unsigned
from amaranth.utils import bits_for


class Fixed:
    """Results that do not depend on digits: a short number goes along the pipeline, the code is chosen at its end.

    ``cases`` are conditions by the codes they give; where several hold, the last counts.
    """

    def __init__(self, cases: Mapping[str, tuple[Value, int]]) -> None:
        self._cases = dict(cases)
        self._codes = sorted({code for _, code in cases.values()})

    def number(self, m: Module) -> Signal:
        """The number of the code that is the result, 0 where there is none; combinational."""
        which: Value = Signal(unsigned(bits_for(len(self._codes))), name="which_none")
        for name, (condition, code) in self._cases.items():
            chosen = Signal(unsigned(bits_for(len(self._codes))), name=f"which_{name}")
            m.d.comb += chosen.eq(Mux(condition, 1 + self._codes.index(code), which))
            which = chosen
        return which

    def choose(self, m: Module, which: Value, otherwise: Value) -> Value:
        """The code of number ``which``, or ``otherwise`` for 0; combinational."""
        chosen = Signal(unsigned(len(otherwise)), name="chosen")
        m.d.comb += chosen.eq(otherwise)
        for index, code in enumerate(self._codes):
            with m.If(which == index + 1):
                m.d.comb += chosen.eq(code)
        return chosen
