"""Registers without reset, of which data paths are made so that DSP blocks absorb them, and names for values."""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import Module, Signal, Value, ValueLike


@dataclass(frozen=True)
class Registered:
    """A word in a register that reset does not touch, and how it came there.

    A block that has such a register inside takes what the register takes, and needs none before it.

    Attributes
    ----------
    value: what the register holds
    source: what it takes
    enable: when it takes it; None where that is in every cycle
    """

    value: Value
    source: Value
    enable: Value | None = None

    def part(self, low: int, width: int) -> Registered:
        """Bits ``[low, low + width)``."""
        return Registered(self.value[low : low + width], self.source[low : low + width], self.enable)


def named(m: Module, value: ValueLike, name: str) -> Signal:
    """``value`` as a wire that the emitted Verilog calls ``name``."""
    value = Value.cast(value)
    wire = Signal(value.shape(), name=name)
    m.d.comb += wire.eq(value)
    return wire


def data_register(m: Module, value: ValueLike, name: str, *, enable: ValueLike = 1) -> Signal:
    """``value`` one cycle later, in a register that reset does not touch; it holds while ``enable`` is low."""
    value = Value.cast(value)
    register = Signal(value.shape(), name=name, reset_less=True)
    with m.If(enable):
        m.d.sync += register.eq(value)
    return register


def pipeline(m: Module, value: ValueLike, cycles: int, name: str) -> Value:
    """``value`` ``cycles`` cycles later through registers that reset does not touch; 0 cycles is ``value`` itself."""
    value = Value.cast(value)
    for cycle in range(cycles):
        value = data_register(m, value, f"{name}_q{cycle + 1}")
    return value
