"""The records that instructions of the engine are made of, and what each field means: for headers and documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tilewright.generators.emit.interface import FIELDS
from tilewright.generators.program.layout import HEAD_FIELDS, Field, fields
from tilewright.hdl.engine.records import SLOTS, Opcode

_HEAD = {
    "opcode": "what the instruction does, see OPCODE",
    "tag": "yours: told with a fault",
    "waits": "a bit for each token of which there must be one before it starts, and which it takes",
    "gives": "a bit for each token of which it gives one when it has ended",
    "core": "the core that carries it out; 0 where there is one",
    "reserved": "0",
}
_TENSOR = {
    "slot": f"the slot that it fills, 0..{SLOTS - 1}; loads and stores have slots of their own",
    "line": "elements of a line: columns that follow each other in memory; at least 1",
    "tap_x_count": "lines of a tap row, at least 1; 1 for a plain matrix",
    "tap_x_stride": "bytes from one such line to the next",
    "tap_y_stride": "bytes from one tap row to the next",
    "out_x_count": "rows of the matrix in a row of the picture, at least 1; for a plain matrix 65,535",
    "out_y_count": "rows of the picture in a picture, at least 1",
    "out_x_stride": "bytes from one row of the matrix to the next; for a plain matrix its pitch",
    "out_y_stride": "bytes from one row of the picture to the next",
    "batch_stride": "bytes from one picture to the next",
    "x_first": "x of the first row of a row of the picture, at tap 0",
    "x_out_step": "what a row adds to x",
    "x_tap_step": "what a tap adds to x",
    "x_size": "what is not at x of 0..x_size - 1 is not read, but is `fill`; 1 for a plain matrix",
    "y_first": "y of the first row of a picture, at tap row 0",
    "y_out_step": "what a row of the picture adds to y",
    "y_tap_step": "what a tap row adds to y",
    "y_size": "likewise for y",
    "fill": "the code that stands where nothing is read",
}
_BOX = {
    "target": "of a load: TARGET; of a store: 0 accumulators as they are, 1 finished results",
    "region": "region of C, 0 or 1",
    "slot": "the slot whose tensor the matrix is a part of",
    "base": "first word of the matrix in its scratchpad",
    "rows": "rows of the matrix; none: it ends at once",
    "cols": "columns of the matrix, in values; likewise",
    "address": "byte address of the element of its starting row of the picture whose other places are 0",
    "line_start": "element of its line at which the matrix starts: for a plain matrix its first column",
    "tap_x_start": "line of its tap row at which it starts",
    "out_x_start": "row in the row of the picture at which it starts",
    "out_y_start": "row of the picture at which it starts",
    "out_x_offset": "bytes that out_x_start makes: out_x_start * out_x_stride",
    "tap_x_offset": "bytes that tap_x_start makes: tap_x_start * tap_x_stride",
    "tap_y_offset": "bytes that the starting tap row makes",
    "x_row": "x of the starting row at tap 0",
    "x_column": "what the starting tap adds to x",
    "y_row": "y of the starting row at tap row 0",
    "y_column": "what the starting tap row adds to y",
    "sum_base": "of a load of A, with `row_sums`: entry of the row sums that belongs to its first row; else 0",
    "sum_add": "likewise: 1 adds to what the entries hold, 0 begins them",
    "turned": "of a load of A or B, with `transposer`: 1 loads the transpose of the matrix of `rows` x `cols`; else 0",
    "stored_rows": "of a store of pooled results: rows that are written; else 0",
}
_GEMM = {name: FIELDS[name] for name in ("m", "n", "k", "a_base", "b_base", "c_base", "bias_base", "dataflow", "start")}
_GEMM |= {name: FIELDS[name] for name in ("region", "point")}
_GEMM |= {"command_reserved": "0", "command_tag": "not used; the tag is that of the head"}
_FINISH = {
    "mode": "FINISHING: multiplier and shift are those of the tensor, or of each channel; floats: 0",
    "activation": "ACTIVATION of floats; of integers, with `table`: TABLE, else 0",
    "shift": "of integers, 0..62: results are acc * multiplier * 2**-shift, rounded to nearest even",
    "sum_shift": "with `add`: shift of the sum, 0..62; else 0",
    "multiplier": "of integers, 31 bits",
    "zero_point": "of integers: added to the rounded product; a value of `result`",
    "low": "of integers: results are at least so; a value of `result`",
    "high": "of integers: results are at most so; a value of `result`",
    "zero_b": "with `row_sums`: zero point of B, times the row's sum of A taken from acc first; else 0",
    "row_base": "with `row_sums`: entry of the row sums that belongs to the first row; else 0",
    "channel_base": "word of the channel memory that has the parameters of the first column",
    "point": "binary point of accumulators that are windows",
    "pool_width": "with `pool_words`: pixels of a line of the picture, for 2 x 2 max-pooling; 0: none",
    "add": "with `adds`: 1: a tensor, loaded to target RESIDUAL, is added to the results; else 0",
    "left_multiplier": "with `add`: factor of result - zero_point; else 0",
    "right_multiplier": "with `add`: factor of loaded value - right_zero; else 0",
    "sum_multiplier": "with `add`: the sum is scaled by sum_multiplier * 2**-sum_shift, 31 bits; else 0",
    "right_zero": "with `add`: zero point of the tensor that is added; else 0",
    "sum_zero": "with `add`: added to the rounded sum; else 0",
    "sum_low": "with `add`: sums are at least so; else 0",
    "sum_high": "with `add`: sums are at most so; else 0",
}


@dataclass(frozen=True)
class Record:
    """Fields of instructions of ``opcodes``: place and meaning of each, by its name."""

    opcodes: tuple[Opcode, ...]
    fields: Mapping[str, Field]
    meanings: Mapping[str, str]


def _record(opcodes: tuple[Opcode, ...], meanings: Mapping[str, str], *, head: bool = False) -> Record:
    found = {name: field for name, field in fields(opcodes[0]).items() if (name in HEAD_FIELDS) == head}
    if found.keys() != meanings.keys():
        raise LookupError(f"meanings must be those of the fields, differ: {sorted(found.keys() ^ meanings.keys())}")
    return Record(opcodes, found, meanings)


def records() -> dict[str, Record]:
    """All records by name. HEAD begins every instruction; END has no other."""
    return {
        "HEAD": _record(tuple(Opcode), _HEAD, head=True),
        "TENSOR": _record((Opcode.LOAD_TENSOR, Opcode.STORE_TENSOR), _TENSOR),
        "BOX": _record((Opcode.LOAD, Opcode.STORE), _BOX),
        "GEMM": _record((Opcode.GEMM,), _GEMM),
        "FINISH": _record((Opcode.FINISH,), _FINISH),
    }
