"""What the supervisor and the counters see of an engine."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Module, Value

from tilewright.hdl.engine.answers import Cause
from tilewright.hdl.engine.parts import EngineParts
from tilewright.hdl.engine.register_map import COUNTERS
from tilewright.hdl.engine.tokens import SEQUENCERS
from tilewright.hdl.structure import named


def connect_supervision(m: Module, parts: EngineParts) -> None:
    """Connects supervisor, registers and counters with all else."""
    supervisor, registers = parts.supervisor, parts.registers
    load, compute, store = parts.load, parts.compute, parts.store
    m.d.comb += [
        supervisor.start.eq(registers.start),
        supervisor.give_up.eq(registers.give_up),
        supervisor.watchdog.eq(registers.watchdog),
        registers.busy.eq(supervisor.busy),
        registers.ended.eq(supervisor.ended),
        registers.fault.eq(supervisor.fault),
        supervisor.quiet.eq(parts.dispatch.empty & load.idle & compute.idle & store.idle),
    ]
    if parts.streams is not None:
        parts.streams.supervise(m, parts)
    else:
        m.d.comb += [
            supervisor.reading.eq(~parts.reads.idle | ~parts.share.idle | ~parts.fetch.idle),
            supervisor.writing.eq(~parts.writes.idle | ~parts.release.idle),
        ]
    for name in SEQUENCERS:
        m.d.comb += [
            getattr(supervisor, f"{name}_missing").eq(getattr(parts.tokens, f"{name}_missing")),
            getattr(registers, f"{name}_missing").eq(getattr(supervisor, f"{name}_missed")),
        ]
    _faults(m, parts)
    _count(m, parts)


def _faults(m: Module, parts: EngineParts) -> None:
    supervisor: Any = parts.supervisor

    def fault(name: str, happens: Value, cause: Cause, detail: Any = 0, tag: Any = 0) -> None:
        port = getattr(supervisor, name)
        m.d.comb += [
            getattr(supervisor, f"{name}_valid").eq(happens),
            port.cause.eq(cause),
            port.detail.eq(detail),
            port.tag.eq(tag),
        ]

    reads, dispatch, fetch = parts.reads, parts.dispatch, parts.fetch
    if parts.streams is None:
        fault("read", reads.error, Cause.READ_ERROR, reads.error_resp, reads.error_tag)
        fault("fetching", fetch.error, Cause.FETCH_ERROR, fetch.response)
    fault("illegal", dispatch.illegal, Cause.ILLEGAL_INSTRUCTION, 0, dispatch.tag)
    fault("tokens", parts.tokens.overflow, Cause.TOO_MANY_TOKENS)
    for name, sequencer in parts.sequencers.items():
        block: Any = sequencer
        m.d.comb += [
            getattr(supervisor, f"{name}_valid").eq(block.fault_valid),
            getattr(supervisor, name).eq(block.fault),
        ]


def _count(m: Module, parts: EngineParts) -> None:
    load, compute, store, core = parts.load, parts.compute, parts.store, parts.core
    reads, writes, tokens = parts.reads, parts.writes, parts.tokens
    outside: Any = parts.streams
    if outside is None:
        fetched = named(m, parts.fetch.memory.r.valid & parts.fetch.memory.r.ready, "fetched")
        answered = named(m, writes.b.valid & writes.b.ready, "write_answered")
        loads, stores = reads, writes
    else:
        fetched, answered = outside.program.beat, named(m, writes.answer.valid & writes.answer.ready, "write_answered")
        loads, stores = outside.loads, outside.stores
    load_waits = named(m, ~load.idle & reads.waits, "load_waits_for_bus")
    store_waits = named(m, ~store.idle & stores.waits, "store_waits_for_bus")
    running = parts.supervisor.busy
    events = {
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
        "read_beats": loads.beat,
        "write_beats": stores.beat,
        "fetch_beats": fetched,
    }
    taken = Cat(getattr(tokens, f"{name}_takes") for name in SEQUENCERS).any()
    m.d.comb += [
        parts.counters.clear.eq(parts.registers.start),
        parts.counters.events.eq(Cat(events[name] & running for name in COUNTERS)),
        parts.registers.counters.eq(parts.counters.counts),
        parts.supervisor.progress.eq(
            fetched | loads.beat | stores.beat | answered | core.active | taken | core.completion.valid
        ),
    ]
