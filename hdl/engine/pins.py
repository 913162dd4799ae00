"""The outside of an engine: AXI4, AXI4-Lite and AXI4-Stream ports with the standard's names."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Module, Shape, Value
from amaranth.lib import data
from amaranth.lib.wiring import In, Member, Out

from tilewright.hdl.engine.engine import Engine
from tilewright.hdl.structure import Block, place

PORTS = {"m_axi": ("ar", "r", "aw", "w", "b"), "s_axi": ("ar", "r", "aw", "w", "b")}
STREAMS = ("s_axis_program", "s_axis_load", "m_axis_store")

_INCR = 0b01
_CACHE = 0b0011  # normal memory, not cacheable, bufferable
_IGNORED = {"s_axi_arprot": 3, "s_axi_awprot": 3}


class EnginePins(Block):
    """Wraps an `Engine`: channel ``ar`` of ``m_axi`` becomes ``m_axi_araddr``, ``m_axi_arvalid`` and so on.

    Of streams ``s_axis_load`` becomes ``s_axis_load_tdata``, ``s_axis_load_tvalid`` and so on.

    Adds what is constant in a manager of full-width bursts of type INCR: ``size``, ``burst``, ``cache``, ``prot`` (AMBA
    AXI Protocol Specification A3.4.1, A4.4, A4.7); a subordinate's ``prot`` is not looked at. Adds no logic.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        size = (engine.parameters.bus_bits // 8).bit_length() - 1
        memory = "m_axi" in engine.signature.members
        self.constants = {
            f"m_axi_{channel}{name}": (value, width)
            for channel in (("ar", "aw") if memory else ())
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

    def _channels(self) -> list[tuple[str, Any, Any]]:
        """(beginning of its ports' names, member, whether the engine drives it) of every channel and stream."""
        members = self.engine.signature.members
        found = []
        for port, channels in PORTS.items():
            for channel in channels if port in members else ():
                inner = members[port].signature.members[channel]
                found.append((f"{port}_{channel}", inner, inner.flow is Out))
        found += [(f"{port}_t", members[port], members[port].flow is Out) for port in STREAMS if port in members]
        return found

    def _inner(self, name: str) -> Any:
        """The stream of the engine whose ports' names begin with ``name``."""
        if name.endswith("_t"):
            return getattr(self.engine, name[:-2])
        return getattr(getattr(self.engine, name[:5]), name[6:])

    def _flat(self) -> list[tuple[str, Any, int]]:
        found = []
        for name, member, driven in self._channels():
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
        for name, member, driven in self._channels():
            inner = self._inner(name)
            fields = member.signature.members["payload"].shape.members
            outside = Cat(getattr(self, f"{name}{field}") for field in fields)
            valid, ready = getattr(self, f"{name}valid"), getattr(self, f"{name}ready")
            if driven:
                m.d.comb += [outside.eq(inner.payload), valid.eq(inner.valid), inner.ready.eq(ready)]
            else:
                m.d.comb += [Value.cast(inner.payload).eq(outside), inner.valid.eq(valid), ready.eq(inner.ready)]
        for port, (value, _) in self.constants.items():
            m.d.comb += getattr(self, port).eq(value)
        m.d.comb += self.irq.eq(self.engine.irq)
        return m


_SIGNALS = ("addr", "len", "size", "burst", "cache", "prot", "data", "strb", "resp", "last", "valid", "ready")
_STREAM_SIGNALS = ("tdata", "tkeep", "tlast", "tvalid", "tready")


def _order(name: str) -> tuple[bool, int, int]:
    """Where a port stands: the subordinate's first, channels as a transfer uses them."""
    channels = ("aw", "w", "b", "ar", "r")
    if name.startswith(STREAMS):
        port, signal = name.rsplit("_", 1)
        return True, STREAMS.index(port), _STREAM_SIGNALS.index(signal)
    rest = name[6:]
    channel = next(c for c in ("ar", "aw", "r", "w", "b") if rest.startswith(c) and rest[len(c) :] in _SIGNALS)
    return name.startswith("m"), channels.index(channel), _SIGNALS.index(rest[len(channel) :])
