"""Bit layouts of the engine's instructions: the one definition that RTL, programs, drivers and documents share."""

from __future__ import annotations

from amaranth.hdl import signed, unsigned
from amaranth.lib import data

from tilewright.hdl.structure.enumeration import IntEnum
from tilewright.hdl.systolic.records import COMMAND_WITH_POINT

INSTRUCTION_BITS = 512
TOKENS = 16
SLOTS = 8
CORE_BITS = 4
CORES = 1 << CORE_BITS


class Opcode(IntEnum, shape=8):
    """What an instruction does, and with it which sequencer takes it; BARRIER is one of several cores only."""

    END = 0
    LOAD_TENSOR = 1
    LOAD = 2
    GEMM = 3
    FINISH = 4
    STORE_TENSOR = 5
    STORE = 6
    BARRIER = 7


class Target(IntEnum, shape=3):
    """Where a load puts its matrix."""

    A = 0
    B = 1
    C = 2
    CHANNELS = 3
    RESIDUAL = 4
    TABLE = 5


HEAD = data.StructLayout(
    {
        "opcode": Opcode,
        "tag": unsigned(8),
        "waits": unsigned(TOKENS),
        "gives": unsigned(TOKENS),
        "core": unsigned(CORE_BITS),
        "reserved": unsigned(16 - CORE_BITS),
    }
)
"""Begins every instruction. It starts when there is one of each token of ``waits``, takes them, and gives one of each
of ``gives`` when it has ended: data loaded lie in their scratchpad, data stored in memory. ``core`` is the number of
the core that carries it out, whose tokens these are; where there is one core it is not looked at."""

_TENSOR = {
    "slot": unsigned(8),
    "line": unsigned(32),
    "tap_x_count": unsigned(8),
    "tap_x_stride": signed(32),
    "tap_y_stride": signed(32),
    "out_x_count": unsigned(16),
    "out_y_count": unsigned(16),
    "out_x_stride": signed(32),
    "out_y_stride": signed(32),
    "batch_stride": signed(32),
    "x_first": signed(16),
    "x_out_step": unsigned(8),
    "x_tap_step": unsigned(8),
    "x_size": unsigned(16),
    "y_first": signed(16),
    "y_out_step": unsigned(8),
    "y_tap_step": unsigned(8),
    "y_size": unsigned(16),
    "fill": unsigned(16),
}

TENSOR = data.StructLayout({"head": HEAD, **_TENSOR})
"""How a tensor lies in memory, and which of its elements are the rows and columns of a matrix.

The columns of a matrix row are a loop of ``line`` elements that follow each other in memory, in ``tap_x_count`` steps
of ``tap_x_stride`` bytes, in steps of ``tap_y_stride`` bytes. Its rows are ``out_x_count`` steps of ``out_x_stride``
bytes, in ``out_y_count`` steps of ``out_y_stride`` bytes, in steps of ``batch_stride`` bytes. Row and tap also give a
place in the picture: x is ``x_first + out_x * x_out_step + tap_x * x_tap_step``, y likewise; where x is not in
0..``x_size`` - 1 or y not in 0..``y_size`` - 1 nothing is read, and elements are ``fill``.
"""

_BOX = {
    "target": Target,
    "region": unsigned(1),
    "slot": unsigned(4),
    "base": unsigned(16),
    "rows": unsigned(16),
    "cols": unsigned(16),
    "address": unsigned(64),
    "line_start": unsigned(32),
    "tap_x_start": unsigned(8),
    "out_x_start": unsigned(16),
    "out_y_start": unsigned(16),
    "out_x_offset": signed(32),
    "tap_x_offset": signed(32),
    "tap_y_offset": signed(32),
    "x_row": signed(16),
    "x_column": signed(16),
    "y_row": signed(16),
    "y_column": signed(16),
    "sum_base": unsigned(16),
    "sum_add": unsigned(4),
    "turned": unsigned(4),
    "stored_rows": unsigned(16),
}

BOX = data.StructLayout({"head": HEAD, **_BOX})
"""A matrix of ``rows`` x ``cols`` out of a tensor (LOAD) or into it (STORE); in its scratchpad it starts at ``base``.

It starts in the middle of the tensor's loops: at element ``line_start`` of a line, tap ``tap_x_start``, row
``out_x_start`` of line ``out_y_start``. ``address`` is that of the element of that out_y and batch whose other places
are 0; ``out_x_offset``, ``tap_x_offset`` and ``tap_y_offset`` are the bytes from there that the starting places of
those loops make. ``x_row`` and ``y_row`` are the place in the picture of the starting row at tap 0, ``x_column``
and ``y_column`` what the starting tap adds to it.

Where there are row sums, a load of A sums its rows into entries from ``sum_base`` on, to what they hold where
``sum_add`` is 1. ``stored_rows`` are the rows that a store writes where that is not ``rows``, 0 where it is: results
that are pooled. Where there is a transposer, a load of A or B whose ``turned`` is 1 loads the transpose of the matrix.
"""

GEMM = data.StructLayout({"head": HEAD, "command": COMMAND_WITH_POINT})
"""A command of the core."""


class Finishing(IntEnum, shape=8):
    """How a store makes results of accumulators; blocks for float results know no difference but RAW."""

    RAW = 0
    TENSOR = 1
    CHANNEL = 2


class Activation(IntEnum, shape=8):
    """A function of results: of floats all but TABLE, of integers none but TABLE; rectified integers are clamped."""

    NONE = 0
    RELU = 1
    SIGMOID = 2
    TANH = 3
    SILU = 4
    GELU = 5
    TABLE = 6


_FINISH = {
    "mode": Finishing,
    "activation": Activation,
    "shift": unsigned(8),
    "sum_shift": unsigned(8),
    "multiplier": unsigned(32),
    "zero_point": signed(24),
    "low": signed(24),
    "high": signed(24),
    "zero_b": signed(24),
    "row_base": unsigned(16),
    "channel_base": unsigned(16),
    "point": signed(16),
    "pool_width": unsigned(16),
    "add": unsigned(8),
    "left_multiplier": unsigned(32),
    "right_multiplier": unsigned(32),
    "sum_multiplier": unsigned(32),
    "right_zero": signed(24),
    "sum_zero": signed(24),
    "sum_low": signed(24),
    "sum_high": signed(24),
}

FINISH = data.StructLayout({"head": HEAD, **_FINISH})
"""How results are finished that are stored from now on.

Integers: see `Finish`. ``multiplier`` (31 bits) and ``shift`` (0..62) are those of the tensor, ``channel_base`` is the
word of the channel memory that has those of the first column. ``zero_b`` is the zero point of B, ``row_base`` the entry
of the row sums that belongs to the first row. Floats: ``activation``; ``point`` is that of windows. Behind it, where
``activation`` is TABLE, see `ResultTable`, where ``add`` is 1, `ResidualAdd`, whose left zero point is ``zero_point``,
and where ``pool_width`` is not 0, `MaxPool`.
"""

FINISH_ORDER = data.StructLayout({**_FINISH, "cols": unsigned(16)})
"""The same for one matrix, with the columns that it has."""

SUM_ORDER = data.StructLayout({"base": unsigned(16), "cols": unsigned(16), "add": unsigned(1)})
"""A matrix of ``cols`` values a row for `RowSums`: its first row is entry ``base``; ``add``: to what that holds."""

TURN_ORDER = data.StructLayout({"rows": unsigned(16), "cols": unsigned(16), "turns": unsigned(1)})
"""A matrix of ``rows`` x ``cols`` as it lies in memory for a `Transposer`, which ``turns`` it or passes it."""
