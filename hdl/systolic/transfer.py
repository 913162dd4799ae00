"""What loads and read-outs have in common: one matrix at a time is checked, moved word by word, and answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import stream
from amaranth.lib.wiring import In, Member, Out

from tilewright.hdl.memory import Geometry, request_members
from tilewright.hdl.structure import data_register, named
from tilewright.hdl.systolic.decoder import SPAN
from tilewright.hdl.systolic.matrix_walk import MatrixWalk
from tilewright.hdl.systolic.product import Product, ceil_div, ceil_div_cycles, clamped, product
from tilewright.hdl.systolic.records import ANSWER, TRANSFER, Status


class State(Enum):
    """What a port is doing. DROP: a refused load takes its beats; FLUSH: the last words are still on their way."""

    IDLE = 0
    CHECK = 1
    RUN = 2
    DROP = 3
    FLUSH = 4
    ANSWER = 5


def transfer_members(geometry: Geometry, access: str, beats: Member) -> dict[str, Member]:
    """Ports of a block that moves matrices between the stream ``beats`` and a scratchpad.

    ``command``, ``answer``: streams of TRANSFER and ANSWER. ``<access>_*``: the scratchpad's request.

    ``span`` and ``region`` are the words it touches; ``active`` is high from the cycle after the command is taken until
    they are no longer touched, ``fresh`` in the first such cycle. ``in_use`` (a command that came before uses some) and
    ``hold`` (a transfer that came before has some: wait) answer in the same cycle.
    """
    members = {
        "command": In(stream.Signature(TRANSFER)),
        "beats": beats,
        "answer": Out(stream.Signature(ANSWER)),
        "span": Out(SPAN),
        "region": Out(1),
        "active": Out(1),
        "fresh": Out(1),
        "in_use": In(1),
        "hold": In(1),
    }
    return members | {f"{access}_{port}": Out(member.shape) for port, member in request_members(geometry).items()}


@dataclass(frozen=True)
class Move:
    """When ``condition`` holds, ``state`` is next, and ``also`` (assignments to registers) happens."""

    condition: Value
    state: State
    also: Sequence[Any] = ()


class Transfer:
    """One matrix at a time in ``port``: its command, checked; its answer. What comes between is the port's.

    Attributes
    ----------
    command: TRANSFER
    state: State
    status: what is answered
    walk: where in the matrix the port is
    """

    def __init__(self, m: Module, port: Any) -> None:
        self._port = port
        self.command = Signal(TRANSFER, name="transfer", reset_less=True)
        self.state = Signal(State, name="state")
        self.status = Signal(Status, name="status")
        m.d.comb += [
            port.command.ready.eq(self.state == State.IDLE),
            port.answer.valid.eq(self.state == State.ANSWER),
            port.answer.payload.tag.eq(self.command.tag),
            port.answer.payload.status.eq(self.status),
        ]

    def check(self, m: Module, platform: Any, rows: Value, columns: Value) -> None:
        """Checks where the matrix of ``rows`` x ``columns`` stored elements lies.

        The status is known ``2 + ceil_div_cycles + Product.LATENCY`` cycles after the first in CHECK.
        """
        port, command, g = self._port, self.command, self._port.geometry
        taken = named(m, port.command.valid & port.command.ready, "taken")
        begin = data_register(m, taken, "begun")
        m.d.comb += port.fresh.eq(begin)
        stage = Signal(2 + ceil_div_cycles(g.lanes) + Product.LATENCY, name="stage")
        m.d.sync += stage.eq(Cat(begin, stage[:-2], stage[-2] | (stage[-1] & port.hold)))
        self._checked = named(m, stage[-1] & ~port.hold, "checked")

        panels = data_register(m, ceil_div(m, columns, g.lanes, "columns"), "panels")
        short_rows, many_rows = clamped(m, rows, g.words, "rows")
        short_panels, many_panels = clamped(m, panels, g.words, "panels")
        words = product(m, platform, data_register(m, short_rows, "x"), short_panels, "words")
        end = words + command.base
        m.d.comb += [port.span.low.eq(command.base), port.span.high.eq(end), port.region.eq(command.region)]
        beyond = named(m, many_rows | many_panels | (end > g.words), "beyond")
        empty = named(m, (command.rows == 0) | (command.cols == 0), "empty")
        fits = Mux(beyond, Status.OUT_OF_RANGE.value, Mux(port.in_use, Status.IN_USE.value, Status.OK.value))
        self._found = Signal(Status, name="found")
        m.d.comb += self._found.eq(Mux(empty, Status.EMPTY.value, fits))
        self.walk = MatrixWalk(m, g, command, rows, panels)

    def run(self, m: Module, step: Value, refused: State, moves: Mapping[State, Sequence[Move]]) -> None:
        """Goes from state to state.

        ``step``: in RUN, a word is dealt with. ``refused``: the state after a check that ends badly, but for an empty
        matrix, which is answered at once. ``moves``: how RUN and the states after it lead to ANSWER; first one first.
        """
        with m.Switch(self.state):
            with m.Case(State.IDLE), m.If(self._port.command.valid):
                m.d.sync += [self.command.eq(self._port.command.payload), self.state.eq(State.CHECK)]
            with m.Case(State.CHECK):
                self.walk.begin(m)
                with m.If(self._checked):
                    m.d.sync += [self.status.eq(self._found), self.state.eq(refused)]
                    with m.If(self._found == Status.OK.value):
                        m.d.sync += self.state.eq(State.RUN)
                    with m.Elif(self._found == Status.EMPTY.value):
                        m.d.sync += self.state.eq(State.ANSWER)
            for state, ways in moves.items():
                with m.Case(state):
                    if state == State.RUN:
                        with m.If(step):
                            self.walk.advance(m)
                    for move in reversed(ways):
                        with m.If(move.condition):
                            m.d.sync += [self.state.eq(move.state), *move.also]
            with m.Case(State.ANSWER), m.If(self._port.answer.ready):
                m.d.sync += self.state.eq(State.IDLE)
