"""Bit layouts of commands and answers: the one definition that RTL, drivers and documents share."""

from __future__ import annotations

from amaranth.hdl import signed, unsigned
from amaranth.lib import data

from tilewright.hdl.arith.window_tally import FLAGS
from tilewright.hdl.structure.enumeration import IntEnum
from tilewright.hdl.systolic.parameters import CoreParameters, Dataflow


class Start(IntEnum, shape=2):
    """What a command's C starts from."""

    ZERO = 0
    BIAS = 1
    ACCUMULATE = 2


class Status(IntEnum, shape=4):
    """How a command or transfer ended. Whatever is not OK has changed nothing, but for LENGTH.

    LENGTH: a load's ``last`` came too early or too late; the beats up to its proper end have been written.
    """

    OK = 0
    EMPTY = 1
    BAD_DATAFLOW = 2
    BAD_START = 3
    A_OUT_OF_RANGE = 4
    B_OUT_OF_RANGE = 5
    C_OUT_OF_RANGE = 6
    BIAS_OUT_OF_RANGE = 7
    OUT_OF_RANGE = 8
    IN_USE = 9
    LENGTH = 10
    BIAS_IN_C = 11
    BAD_POINT = 12


COMMAND = data.StructLayout(
    {
        "m": unsigned(16),
        "n": unsigned(16),
        "k": unsigned(16),
        "a_base": unsigned(16),
        "b_base": unsigned(16),
        "c_base": unsigned(16),
        "bias_base": unsigned(16),
        "dataflow": Dataflow,
        "start": Start,
        "region": unsigned(1),
        "reserved": unsigned(3),
        "tag": unsigned(8),
    }
)
"""A GEMM: C = start + A @ B. Bases are words of the scratchpads; C and bias lie in one region of C."""

COMMAND_WITH_POINT = data.StructLayout({**COMMAND.members, "point": signed(16)})
"""The same for accumulators that are windows: bit 0 of C, and of what it starts from, weighs ``2**-point``."""


def command_layout(parameters: CoreParameters) -> data.StructLayout:
    """Commands of a core."""
    return COMMAND_WITH_POINT if parameters.has_point else COMMAND


TRANSFER = data.StructLayout(
    {
        "base": unsigned(16),
        "rows": unsigned(16),
        "cols": unsigned(16),
        "region": unsigned(1),
        "reserved": unsigned(7),
        "tag": unsigned(8),
    }
)
"""A load or read-out of a matrix of rows x cols values."""

ANSWER = data.StructLayout({"status": unsigned(8), "tag": unsigned(8)})
"""The end of a command or transfer."""

COMPLETION = data.StructLayout({**ANSWER.members, **{flag: unsigned(16) for flag in FLAGS}})
"""The end of a command whose accumulators are windows: how many of its results have each flag, at most 65,535."""


def completion_layout(parameters: CoreParameters) -> data.StructLayout:
    """Answers to commands of a core."""
    return COMPLETION if parameters.has_point else ANSWER
