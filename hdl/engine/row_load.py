"""Loads of one row into a memory beside the core's."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any

from amaranth.hdl import Module, Mux, Signal, Value

from tilewright.hdl.structure import named
from tilewright.hdl.systolic.records import Status


class State(Enum):
    """What the memory is doing. DROP: a load that is too long takes the rest of its beats."""

    IDLE = 0
    RUN = 1
    DROP = 2
    ANSWER = 3


class RowLoad:
    """Takes the beats of ``port`` (members ``command``, ``beats``, ``answer``), ``values`` values each, a beat a cycle.

    A load is one of a matrix of one row: ``command.cols`` values; 1 cycle from the command to the first beat. The
    answer comes 1 cycle after the last beat, when all is written: EMPTY for no values, and no beat is expected;
    OUT_OF_RANGE when the memory ends before the values do, LENGTH when ``last`` comes too early or too late: what could
    be written has been. ``rows`` is not looked at.

    Attributes
    ----------
    taken: a beat is to be written
    """

    def __init__(self, m: Module, port: Any, values: int) -> None:
        self._port, self._values = port, values
        self._state, self._status = Signal(State, name="state"), Signal(Status, name="status")
        self._tag = Signal(8, name="tag", reset_less=True)
        self._left = Signal(16, name="left", reset_less=True)
        self.taken = named(m, (self._state == State.RUN) & port.beats.valid, "taken")
        self._final = named(m, self._left <= values, "final")

    def connect(self, m: Module) -> None:
        """Drives the streams of the port."""
        state, port = self._state, self._port
        m.d.comb += [
            port.command.ready.eq(state == State.IDLE),
            port.beats.ready.eq((state == State.RUN) | (state == State.DROP)),
            port.answer.valid.eq(state == State.ANSWER),
            port.answer.payload.tag.eq(self._tag),
            port.answer.payload.status.eq(self._status),
        ]

    def run(self, m: Module, inside: Value, begins: Sequence[Any], steps: Sequence[Any]) -> None:
        """From load to load. ``begins`` and ``steps``: what else a command and a beat do; ``inside``: there is room."""
        state, status, left = self._state, self._status, self._left
        command, beats, answer = self._port.command, self._port.beats, self._port.answer
        with m.Switch(state):
            with m.Case(State.IDLE), m.If(command.valid):
                m.d.sync += [self._tag.eq(command.payload.tag), left.eq(command.payload.cols), *begins]
                m.d.sync += [state.eq(State.RUN), status.eq(Status.OK)]
                with m.If(command.payload.cols == 0):
                    m.d.sync += [state.eq(State.ANSWER), status.eq(Status.EMPTY)]
            with m.Case(State.RUN), m.If(beats.valid):
                m.d.sync += [left.eq(left - self._values), *steps]
                with m.If(self._final | beats.payload.last):
                    m.d.sync += state.eq(Mux(beats.payload.last, State.ANSWER.value, State.DROP.value))
                with m.If(~inside):
                    m.d.sync += status.eq(Status.OUT_OF_RANGE)
                with m.Elif((self._final != beats.payload.last) & (status == Status.OK)):
                    m.d.sync += status.eq(Status.LENGTH)
            with m.Case(State.DROP), m.If(beats.valid & beats.payload.last):
                m.d.sync += state.eq(State.ANSWER)
            with m.Case(State.ANSWER), m.If(answer.ready):
                m.d.sync += state.eq(State.IDLE)
