"""What ties a sequencer's cursors to its loop nest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from amaranth.hdl import Module, Value
from amaranth.lib.wiring import Member, Out

from tilewright.hdl.structure import place
from tilewright.hdl.systolic.cursor import Cursor
from tilewright.hdl.systolic.extents import is_dataflow
from tilewright.hdl.systolic.nest import Nest

_REQUEST = ("address", "next_panel", "column", "split", "rotate", "panel")


def request_ports(cursor: Cursor) -> list[str]:
    """Names of a cursor's request ports."""
    return [name for name in _REQUEST if name in cursor.signature.members]


def cursor_members(cursors: Mapping[str, Cursor]) -> dict[str, Member]:
    """Ports ``<matrix>_<request port>`` of a sequencer with these cursors; ``<matrix>_active`` says that it asks."""
    return {f"{matrix}_active": Out(1) for matrix in cursors} | {
        f"{matrix}_{port}": Out(len(getattr(cursor, port)))
        for matrix, cursor in cursors.items()
        for port in request_ports(cursor)
    }


def connect_cursors(m: Module, platform: Any, walker: Any, nest: Nest, active: Value, dataflow: Value) -> None:
    """Places ``walker.cursors``: they follow ``nest`` through the matrices of ``walker.command``.

    ``active``: there is a step in this cycle; ``dataflow``: that of the command it belongs to.
    """
    command = walker.command
    rows = {"a": command.m, "b": command.kg, "c": command.m}
    for matrix, cursor in walker.cursors.items():
        m.submodules[f"cursor_{matrix}"] = place(platform, cursor)
        m.d.comb += [
            cursor.start.eq(nest.start),
            cursor.inner_step.eq(nest.inner_step),
            cursor.middle_step.eq(nest.middle_step),
            cursor.outer_step.eq(nest.outer_step),
            cursor.base.eq(getattr(command, matrix).low),
            cursor.stride.eq(rows[matrix]),
        ]
        if len(cursor.paths) > 1:
            m.d.comb += cursor.dataflow.eq(command.dataflow)
        asks = active & is_dataflow(walker.parameters, dataflow, *cursor.paths)
        m.d.sync += getattr(walker, f"{matrix}_active").eq(asks)
        for port in request_ports(cursor):
            m.d.comb += getattr(walker, f"{matrix}_{port}").eq(getattr(cursor, port))
