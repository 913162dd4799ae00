"""The way of matrices: memory to core to memory."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module
from amaranth.lib.wiring import connect

from tilewright.hdl.engine.core_parts import CoreParts


def connect_data(m: Module, parts: CoreParts) -> None:
    """Orders go to the movers, and beats between the movers and the core."""
    core: Any = parts.core
    connect(m, parts.load.order, parts.reads.order)
    for target in ("a", "b", "c"):
        connect(m, getattr(parts.load, f"load_{target}_command"), getattr(core, f"load_{target}_command"))
        connect(m, getattr(core, f"load_{target}_answer"), getattr(parts.load, f"load_{target}_answer"))
        beats = getattr(parts.reads, target)
        turn: Any = parts.turns.get(target)
        if turn is not None:
            connect(m, getattr(parts.load, f"turn_{target}_order"), turn.order)
            connect(m, beats, turn.i)
            beats = turn.o
        if target == "a" and parts.sums is not None:
            sums: Any = parts.sums
            connect(m, parts.load.sum_order, sums.order)
            connect(m, beats, sums.i)
            beats = sums.o
        connect(m, beats, getattr(core, f"load_{target}_beats"))
    channels: Any = parts.channels
    if channels is not None:
        connect(m, parts.load.load_channels_command, channels.command)
        connect(m, channels.answer, parts.load.load_channels_answer)
        connect(m, parts.reads.channels, channels.beats)
    connect(m, parts.compute.command, core.command)
    connect(m, core.completion, parts.compute.completion)

    _connect_results(m, parts)


def _connect_results(m: Module, parts: CoreParts) -> None:
    """From the core over what finishes results to memory."""
    core: Any = parts.core
    channels: Any = parts.channels
    connect(m, parts.store.read_c_command, core.read_c_command)
    connect(m, core.read_c_answer, parts.store.read_c_answer)
    connect(m, core.read_c_beats, parts.release.beats)
    connect(m, parts.store.job, parts.release.job)
    connect(m, parts.release.order, parts.writes.order)
    connect(m, parts.writes.answer, parts.store.written)
    connect(m, parts.release.o_0, parts.writes.raw)
    finish: Any = parts.finish
    if finish is None:
        m.d.comb += parts.release.finish.ready.eq(1)
        return
    connect(m, parts.release.finish, finish.order)
    connect(m, parts.release.o_1, finish.i)
    connect(m, finish.o, parts.writes.finished)
    if parts.sums is not None:
        m.d.comb += [
            parts.sums.read.eq(finish.sum_read),
            parts.sums.read_address.eq(finish.sum_address),
            finish.sum_data.eq(parts.sums.read_data),
        ]
    residual: Any = parts.residual
    if residual is not None:
        connect(m, parts.load.load_residual_command, residual.command)
        connect(m, residual.answer, parts.load.load_residual_answer)
        connect(m, parts.reads.residual, residual.i)
        connect(m, residual.o, finish.residual)
    if parts.parameters.table:
        connect(m, parts.load.load_table_command, finish.table_command)
        connect(m, finish.table_answer, parts.load.load_table_answer)
        connect(m, parts.reads.table, finish.table_beats)
    if channels is not None:
        m.d.comb += [
            channels.read.eq(finish.channel_read),
            channels.read_address.eq(finish.channel_address),
            finish.channel_data.eq(channels.read_data),
        ]
