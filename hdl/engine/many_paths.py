"""What is connected in an engine with several cores, the way of the program apart."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Array, Cat, Module, Value
from amaranth.lib import data
from amaranth.lib.wiring import connect

from tilewright.hdl.engine.answers import Cause
from tilewright.hdl.engine.many_parts import ManyParts
from tilewright.hdl.engine.records import HEAD
from tilewright.hdl.engine.supervision import connect_faults, connect_runs, fetch_fault
from tilewright.hdl.engine.tokens import SEQUENCERS
from tilewright.hdl.structure import named


def connect_workers(m: Module, parts: ManyParts) -> None:
    """Instructions go to the workers; the first one shares its port with the program."""
    supervisor, registers = parts.supervisor, parts.registers
    first: Any = parts.workers[0]
    fetched = named(m, parts.fetch.memory.r.valid & parts.fetch.memory.r.ready, "fetched")
    connect(m, first.read.ar, parts.share.second.ar)
    connect(m, parts.share.second.r, first.read.r)
    for core, worker in enumerate(parts.workers):
        connect(m, getattr(parts.dispatch, f"o_{core}"), worker.instruction)
        m.d.comb += [
            worker.start.eq(registers.start),
            worker.running.eq(supervisor.busy),
            worker.stop.eq(supervisor.stop),
            worker.flush.eq(supervisor.flush),
            worker.fetched.eq(fetched if core == 0 else 0),
            worker.counter_word.eq(registers.counter_word),
        ]
    counted = Array(worker.counter for worker in parts.workers)
    m.d.comb += registers.counter.eq(counted[registers.counted_core])


def supervise_workers(m: Module, parts: ManyParts) -> None:
    """The supervisor sees all workers as one."""
    supervisor, registers, blame, dispatch = parts.supervisor, parts.registers, parts.blame, parts.dispatch
    connect_runs(m, parts)
    all_quiet = named(m, Cat(worker.quiet for worker in parts.workers).all(), "all_quiet")
    head = data.View(HEAD, dispatch.i.payload[: HEAD.size])
    for core, worker in enumerate(parts.workers):
        for name in ("fault_valid", "fault", *(f"{s}_missing" for s in SEQUENCERS), "reading", "writing"):
            m.d.comb += Value.cast(getattr(blame, f"{name}_{core}")).eq(Value.cast(getattr(worker, name)))
    m.d.comb += [
        dispatch.quiet.eq(all_quiet),
        supervisor.quiet.eq(all_quiet),
        supervisor.reading.eq(blame.reading | ~parts.share.idle | ~parts.fetch.idle),
        supervisor.writing.eq(blame.writing),
        supervisor.progress.eq(Cat(worker.progress for worker in parts.workers).any()),
        blame.running.eq(supervisor.running),
        blame.other_valid.eq(parts.fetch.error | dispatch.illegal),
        blame.other_core.eq((head.core & dispatch.illegal.replicate(len(head.core))) & ~parts.fetch.error.replicate(4)),
        registers.core.eq(blame.core),
    ]
    for name in SEQUENCERS:
        m.d.comb += [
            getattr(supervisor, f"{name}_missing").eq(getattr(blame, f"{name}_missing")),
            getattr(registers, f"{name}_missing").eq(getattr(supervisor, f"{name}_missed")),
        ]
    illegal = {"cause": Cause.ILLEGAL_INSTRUCTION, "detail": 0, "tag": dispatch.tag}
    connect_faults(
        m,
        supervisor,
        {
            "fetching": fetch_fault(parts.fetch),
            "illegal": (dispatch.illegal, illegal),
            "core": (blame.fault_valid, blame.fault),
        },
    )
