"""The registers and causes of an engine, in the words that fit its data ports."""

from __future__ import annotations

from dataclasses import replace

from tilewright.generators.config.engine import EngineConfig
from tilewright.hdl.engine import register_map
from tilewright.hdl.engine.answers import Cause
from tilewright.hdl.engine.register_map import Register

_OF_STREAMS = {
    "port": "the data ports",
    "program_low": "kept, and not looked at",
    "program_high": "kept, and not looked at",
    "program_count": "instructions of the packet on s_axis_program; 0: they come through the window",
}
_FIELDS_OF_STREAMS = {
    "max_burst": "0: data ports are AXI4-Stream",
    "address_bits": "bits of an address, of the memory that programs speak of",
    "detail": "more of why: the core's status, or what is wrong with a packet",
    "abort": "end the run as failed, once packets that have begun have ended; again: forget those that come in",
}
_OF_PACKETS = (Cause.PROGRAM_PACKET, Cause.LOAD_PACKET)
_OF_MEMORY = (Cause.FETCH_ERROR, Cause.READ_ERROR, Cause.WRITE_ERROR)


def registers(config: EngineConfig) -> tuple[Register, ...]:
    """Its registers; those of an engine with AXI4-Stream ports have meanings of their own, and the same places."""
    found = register_map.registers(config.cores)
    return tuple(map(_of_streams, found)) if config.streams else found


def causes(config: EngineConfig) -> tuple[Cause, ...]:
    """Why runs of the engine may fail."""
    others = _OF_MEMORY if config.streams else _OF_PACKETS
    return tuple(cause for cause in Cause if cause not in others)


def _of_streams(register: Register) -> Register:
    fields = tuple(replace(f, meaning=_FIELDS_OF_STREAMS.get(f.name, f.meaning)) for f in register.fields)
    return replace(register, meaning=_OF_STREAMS.get(register.name, register.meaning), fields=fields)
