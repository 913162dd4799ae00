"""The outside of an engine: AXI4, AXI4-Lite and AXI4-Stream ports with the standard's names."""

from __future__ import annotations

import re
from typing import Any

from amaranth.hdl import Cat, Module, Shape, Value
from amaranth.lib import data
from amaranth.lib.wiring import In, Member, Out

from tilewright.hdl.engine.engine import Engine
from tilewright.hdl.structure import Block, place

CHANNELS = ("ar", "r", "aw", "w", "b")
STREAMS = ("s_axis_program", "s_axis_load", "m_axis_store")

_INCR = 0b01
_CACHE = 0b0011  # normal memory, not cacheable, bufferable
_IGNORED = {"s_axi_arprot": 3, "s_axi_awprot": 3}


class EnginePins(Block):
    """Wraps an `Engine`: channel ``ar`` of ``m_axi`` becomes ``m_axi_araddr``, ``m_axi_arvalid`` and so on.

    Of several cores: channel ``ar`` of ``m_axi_0`` becomes ``m_axi_0_araddr``. Of streams ``s_axis_load`` becomes
    ``s_axis_load_tdata``, ``s_axis_load_tvalid`` and so on.

    Adds what is constant in a manager of full-width bursts of type INCR: ``size``, ``burst``, ``cache``, ``prot`` (AMBA
    AXI Protocol Specification A3.4.1, A4.4, A4.7); a subordinate's ``prot`` is not looked at. Adds no logic.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        size = (engine.parameters.bus_bits // 8).bit_length() - 1
        self.constants = {
            f"{port}_{channel}{name}": (value, width)
            for port in engine.parameters.memory_ports
            for channel in ("ar", "aw")
            for name, value, width in (("size", size, 3), ("burst", _INCR, 2), ("cache", _CACHE, 4), ("prot", 0, 3))
        }
        members: dict[str, Member] = {}
        for name, forward, width in self._flat():
            members[name] = forward(width)
        for port, width in _IGNORED.items():
            members[port] = In(width)
        for port, (_, width) in self.constants.items():
            members[port] = Out(width)
        members = {name: members[name] for name in sorted(members, key=_order)}
        super().__init__("pins", members | {"irq": Out(1)})

    def _channels(self) -> list[tuple[str, Any, Any, bool]]:
        """(beginning of its ports' names, member, stream, whether the engine drives it) of every channel and stream."""
        engine, members = self.engine, self.engine.signature.members
        found = []
        for port in (*engine.parameters.memory_ports, "s_axi"):
            for channel in CHANNELS:
                member = members[port].signature.members[channel]
                found.append((f"{port}_{channel}", member, getattr(getattr(engine, port), channel), member.flow is Out))
        for port in STREAMS if engine.parameters.streams else ():
            found.append((f"{port}_t", members[port], getattr(engine, port), members[port].flow is Out))
        return found

    def _flat(self) -> list[tuple[str, Any, int]]:
        found = []
        for name, member, _, driven in self._channels():
            forward, backward = (Out, In) if driven else (In, Out)
            layout = member.signature.members["payload"].shape
            assert isinstance(layout, data.StructLayout)
            for field, shape in layout.members.items():
                found.append((f"{name}{field}", forward, Shape.cast(shape).width))
            found += [(f"{name}valid", forward, 1), (f"{name}ready", backward, 1)]
        return found

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        m.submodules.engine = place(platform, self.engine)
        for name, member, inner, driven in self._channels():
            fields = member.signature.members["payload"].shape.members
            outside = Cat(getattr(self, f"{name}{field}") for field in fields)
            valid, ready = getattr(self, f"{name}valid"), getattr(self, f"{name}ready")
            if driven:
                m.d.comb += [outside.eq(inner.payload), valid.eq(inner.valid), inner.ready.eq(ready)]
            else:
                m.d.comb += [Value.cast(inner.payload).eq(outside), inner.valid.eq(valid), ready.eq(inner.ready)]
        for name, (value, _) in self.constants.items():
            m.d.comb += getattr(self, name).eq(value)
        m.d.comb += self.irq.eq(self.engine.irq)
        return m


_BUS = re.compile(rf"(?:(s_axi|m_axi(?:_\d+)?)_(aw|ar|w|r|b)|({'|'.join(STREAMS)})_(t))([a-z]+)")
_SIGNALS = ("addr", "len", "size", "burst", "cache", "prot", "data", "keep", "strb", "resp", "last", "valid", "ready")


def split(name: str) -> tuple[str, str, str]:
    """(port, channel, signal) of a pin: ``m_axi_0_araddr`` is ``addr`` of channel ``ar`` of ``m_axi_0``.

    The channel of a stream is ``t``: ``s_axis_load_tdata`` is its ``data``.
    """
    found = _BUS.fullmatch(name)
    if found is None or found[5] not in _SIGNALS:
        raise ValueError(f"a pin of a bus must be called as in AXI, got {name!r}")
    return found[1] or found[3], found[2] or found[4], found[5]


def _order(name: str) -> tuple[bool, int, int, int]:
    """Where a port stands: the subordinate's first, channels as a transfer uses them."""
    port, channel, signal = split(name)
    if port in STREAMS:
        return True, STREAMS.index(port), 0, _SIGNALS.index(signal)
    number = int(port[6:] or 0) if port.startswith("m") else 0
    return port.startswith("m"), number, ("aw", "w", "b", "ar", "r").index(channel), _SIGNALS.index(signal)
