"""What the supervisor and the counters see of a core, and of an engine with one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from amaranth.hdl import Cat, Module, Value
from amaranth.lib import data

from tilewright.hdl.engine.answers import Cause
from tilewright.hdl.engine.core_parts import CoreParts
from tilewright.hdl.engine.parts import EngineParts
from tilewright.hdl.engine.register_map import COUNTERS
from tilewright.hdl.engine.tokens import SEQUENCERS
from tilewright.hdl.structure import named

Fault = tuple[Value, Mapping[str, Any] | data.View]
"""Whether it happens now, and what."""


def connect_supervision(m: Module, parts: EngineParts) -> None:
    """Connects supervisor, registers and counters with all else."""
    supervisor, registers = parts.supervisor, parts.registers
    connect_runs(m, parts)
    m.d.comb += supervisor.quiet.eq(quiet(parts))
    if parts.streams is not None:
        parts.streams.supervise(m, parts)
        fetched = parts.streams.program.beat
    else:
        m.d.comb += [
            supervisor.reading.eq(~parts.reads.idle | ~parts.share.idle | ~parts.fetch.idle),
            supervisor.writing.eq(writing(parts)),
        ]
        connect_faults(m, supervisor, {"read": read_fault(parts.reads), "fetching": fetch_fault(parts.fetch)})
        fetched = named(m, parts.fetch.memory.r.valid & parts.fetch.memory.r.ready, "fetched")
    for name in SEQUENCERS:
        m.d.comb += [
            getattr(supervisor, f"{name}_missing").eq(getattr(parts.tokens, f"{name}_missing")),
            getattr(registers, f"{name}_missing").eq(getattr(supervisor, f"{name}_missed")),
        ]
    connect_faults(m, supervisor, core_faults(parts))
    moves = connect_counters(m, parts, fetched, supervisor.busy)
    m.d.comb += [
        parts.counters.clear.eq(registers.start),
        registers.counters.eq(parts.counters.counts),
        supervisor.progress.eq(moves),
    ]


def connect_runs(m: Module, parts: Any) -> None:
    """The supervisor of ``parts`` gets its commands from their registers, and tells them what comes of it."""
    supervisor, registers = parts.supervisor, parts.registers
    m.d.comb += [
        supervisor.start.eq(registers.start),
        supervisor.give_up.eq(registers.give_up),
        supervisor.watchdog.eq(registers.watchdog),
        registers.busy.eq(supervisor.busy),
        registers.ended.eq(supervisor.ended),
        registers.fault.eq(supervisor.fault),
    ]


def quiet(parts: CoreParts) -> Value:
    """No sequencer of a core has anything to do."""
    return parts.dispatch.empty & parts.load.idle & parts.compute.idle & parts.store.idle


def writing(parts: CoreParts) -> Value:
    """A core has something under way to memory."""
    return ~parts.writes.idle | ~parts.release.idle


def connect_faults(m: Module, target: Any, faults: Mapping[str, Fault]) -> None:
    """Each fault goes to the port of ``target`` that bears its name."""
    for name, (happens, fault) in faults.items():
        port = getattr(target, name)
        m.d.comb += getattr(target, f"{name}_valid").eq(happens)
        if isinstance(fault, data.View):
            m.d.comb += port.eq(fault)
        else:
            m.d.comb += [port[field].eq(value) for field, value in fault.items()]


def _fault(cause: Cause, detail: Any = 0, tag: Any = 0) -> Mapping[str, Any]:
    return {"cause": cause, "detail": detail, "tag": tag}


def fetch_fault(fetch: Any) -> Fault:
    """What may fail when the program is read."""
    return fetch.error, _fault(Cause.FETCH_ERROR, fetch.response)


def read_fault(reads: Any) -> Fault:
    """What may fail when matrices are read."""
    return reads.error, _fault(Cause.READ_ERROR, reads.error_resp, reads.error_tag)


def core_faults(parts: CoreParts) -> dict[str, Fault]:
    """What may fail in a core, its reads apart."""
    found: dict[str, Fault] = {
        "illegal": (parts.dispatch.illegal, _fault(Cause.ILLEGAL_INSTRUCTION, 0, parts.dispatch.tag)),
        "tokens": (parts.tokens.overflow, _fault(Cause.TOO_MANY_TOKENS)),
    }
    for name, sequencer in parts.sequencers.items():
        block: Any = sequencer
        found[name] = (block.fault_valid, block.fault)
    return found


def connect_counters(m: Module, parts: CoreParts, fetched: Value, running: Value) -> Value:
    """The counters of a core count; whether anything of it has moved. ``fetched``: a beat of the program was read."""
    load, compute, store, core = parts.load, parts.compute, parts.store, parts.core
    incoming, outgoing, tokens = parts.incoming, parts.outgoing, parts.tokens
    answered = named(m, parts.answers.valid & parts.answers.ready, "write_answered")
    load_waits = named(m, ~load.idle & parts.reads.waits, "load_waits_for_bus")
    store_waits = named(m, ~store.idle & outgoing.waits, "store_waits_for_bus")
    events: dict[str, Value] = {
        "cycles": running,
        "load_busy": ~load.idle & ~load_waits,
        "load_wait_token": load.idle & tokens.load_missing.any(),
        "load_wait_bus": load_waits,
        "compute_busy": ~compute.idle,
        "compute_wait_token": compute.idle & tokens.compute_missing.any(),
        "store_busy": ~store.idle & ~store_waits,
        "store_wait_token": store.idle & tokens.store_missing.any(),
        "store_wait_bus": store_waits,
        "array_active": core.active,
        "read_beats": incoming.beat,
        "write_beats": outgoing.beat,
        "fetch_beats": fetched,
    }
    taken = Cat(getattr(tokens, f"{name}_takes") for name in SEQUENCERS).any()
    m.d.comb += parts.counters.events.eq(Cat(events[name] & running for name in COUNTERS))
    return fetched | incoming.beat | outgoing.beat | answered | core.active | taken | core.completion.valid
