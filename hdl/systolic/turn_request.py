"""What is asked of a core that does one thing at a time, in terms that commands and transfers share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib import data

from tilewright.hdl.numeric.window import LARGEST_POINT
from tilewright.hdl.structure import data_register, named
from tilewright.hdl.structure.enumeration import IntEnum
from tilewright.hdl.systolic.parameters import CoreParameters
from tilewright.hdl.systolic.product import ceil_shift
from tilewright.hdl.systolic.records import TRANSFER, Start, Status
from tilewright.hdl.systolic.turn_walk import Bits, cut


class Matrix(IntEnum, shape=2):
    """Which matrix is looked at; a command has all four, one after the other."""

    A = 0
    B = 1
    C = 2
    BIAS = 3


def of(turn: Value, values: Sequence[Any]) -> Value:
    """That of ``values`` whose bit of ``turn`` is set; the last one's where it is none of the others."""
    *others, found = values
    for bit, value in reversed(list(enumerate(others))):
        found = Mux(turn[bit], value, found)
    return Value.cast(found)


class TurnRequest:
    """The request whose turn it is: loads of A, B and C, a read-out, or a command; from the turn's second cycle on.

    Attributes
    ----------
    is_command, has_bias
    command: the command, where it is one
    matrix: which of its matrices is looked at
    base, stride, columns: where that lies, `cut`; elements along K are groups of ``vector`` values
    rows: of a transfer, in values
    groups: ``ceil(k / vector)``
    tag, region
    wrong: Status of what is wrong with it, apart from its matrices
    """

    def __init__(
        self, m: Module, parameters: CoreParameters, turn: Signal, matrix: Any, payloads: Sequence[Any]
    ) -> None:
        *transfers, command = payloads
        self.command, self.matrix = command, matrix
        chosen = named(m, of(turn, [Value.cast(each) for each in transfers]), "transfer")
        transfer = data.View(TRANSFER, chosen)
        self.is_command = is_command = turn[-1]
        self.has_bias = named(m, is_command & (command.start == Start.BIAS), "has_bias")
        self.rows = transfer.rows
        self.region, self.tag = transfer.region, Mux(is_command, command.tag, transfer.tag)

        rows = data_register(m, Mux(is_command, command.m, transfer.rows), "request_m")
        cols = data_register(m, Mux(is_command, command.n, transfer.cols), "request_n")
        depth = Mux(is_command, command.k, Mux(turn[0], transfer.cols, transfer.rows))
        depth = data_register(m, depth, "request_k")
        self.groups = named(m, ceil_shift(m, depth, parameters.vector, "groups"), "request_groups")
        is_a, is_b = matrix == Matrix.A, matrix == Matrix.B
        bits = Bits.of((parameters.a_memory, parameters.b_memory, parameters.c_memory))
        a, b, c, bias, base = (
            cut(each, bits.words) for each in (
                command.a_base, command.b_base, command.c_base, command.bias_base, transfer.base,
            )
        )  # fmt: skip
        of_command = Mux(is_a, a, Mux(is_b, b, Mux(matrix == Matrix.C, c, bias)))
        self.base = named(m, Mux(is_command, of_command, base), "request_base")
        of_rows = Mux(matrix == Matrix.BIAS, 1, cut(rows, bits.words))
        self.stride = named(m, Mux(is_b, cut(self.groups, bits.words), of_rows), "request_stride")
        columns = Mux(is_a, cut(self.groups, bits.columns), cut(cols, bits.columns))
        self.columns = named(m, columns, "request_columns")
        self.wrong = named(m, self._wrong(m, parameters, rows, cols, depth), "wrong")

    def first_matrix(self, waiting: Value) -> Value:
        """The matrix that is looked at first, of the first of those that are ``waiting``."""
        of_c = Mux(waiting[2] | waiting[3], Matrix.C.value, Matrix.A.value)
        return Value.cast(Mux(waiting[0], Matrix.A.value, Mux(waiting[1], Matrix.B.value, of_c)))

    def _wrong(self, m: Module, p: CoreParameters, rows: Value, cols: Value, depth: Value) -> Value:
        command = self.command
        status: Value = Const(Status.OK.value)
        if p.has_point:
            beyond = (command.point > LARGEST_POINT) | (command.point < -LARGEST_POINT)
            status = Mux(named(m, beyond, "bad_point"), Status.BAD_POINT.value, status)
        status = Mux(command.start > Start.ACCUMULATE.value, Status.BAD_START.value, status)
        status = Mux(command.dataflow != p.dataflows[0].value, Status.BAD_DATAFLOW.value, status)
        status = Mux(self.is_command, status, Status.OK.value)
        empty = named(m, (rows == 0) | (cols == 0) | (depth == 0), "empty")
        return Mux(empty, Status.EMPTY.value, status)
