"""The outside of a design, ports and streams, and what they mean: for header, manifest and benches."""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import Shape
from amaranth.lib import data
from amaranth.lib.wiring import In

from tilewright.generators.config.systolic import SystolicConfig
from tilewright.generators.emit.elaborate import core_parameters, top
from tilewright.hdl.numeric import Format, IntFormat, parse_format
from tilewright.hdl.pe import Operands
from tilewright.hdl.systolic.array import SystolicArray
from tilewright.hdl.systolic.core import GemmCore
from tilewright.hdl.systolic.pinout import Pinout
from tilewright.hdl.systolic.records import ANSWER, TRANSFER, command_layout, completion_layout

FIELDS = {
    "m": "rows of A and C",
    "n": "columns of B and C",
    "k": "columns of A, rows of B",
    "a_base": "first word of A",
    "b_base": "first word of B",
    "c_base": "first word of C",
    "bias_base": "first word of the bias row, in the region of C",
    "dataflow": "0 weight-, 1 output-, 2 input-stationary",
    "start": "C starts from 0 zero, 1 the bias row, 2 the C that is there",
    "region": "region of C, 0 or 1",
    "reserved": "0",
    "tag": "comes back with the answer",
    "point": "binary point of C and of what it starts from: bit 0 weighs 2**-point; -512 to 512 (only of fx<N>)",
    "invalid": "results that an operand which is NaN or infinite went into; 65,535 stands for more",
    "overflow": "results that have left their window, likewise",
    "underflow": "results to which a product has lost bits below the window, likewise",
    "base": "first word of the matrix",
    "rows": "rows of the matrix",
    "cols": "columns of the matrix, in values",
    "status": "how it ended, see STATUS",
}

_STREAMS = {
    "command": "GEMM commands, C = start + A @ B",
    "completion": "answers to commands, in their order; the last word of C can be read",
    "load_a_command": "announces a matrix for scratchpad A",
    "load_a_beats": "rows of A",
    "load_a_answer": "the matrix lies in scratchpad A, or was refused",
    "load_b_command": "announces a matrix for scratchpad B",
    "load_b_beats": "rows of B",
    "load_b_answer": "the matrix lies in scratchpad B, or was refused",
    "load_c_command": "announces a matrix (an old C, a bias row) for a region of C",
    "load_c_beats": "rows of C",
    "load_c_answer": "the matrix lies in the region of C, or was refused",
    "read_c_command": "asks for a matrix of a region of C",
    "read_c_beats": "rows of C",
    "read_c_answer": "all of the matrix has been given, or it was refused",
}

_CONTROLS = {
    "swap": "comes with x; from it on the operand shifted in last is the one held",
    "clear": "comes pipeline cycles after x; the sum starts anew after this step",
    "start": "comes pipeline cycles after x; the sum starts from its seed in this step",
    "capture": "comes pipeline cycles after x; the finished sum goes to the drain",
    "pass_sum": "comes pipeline cycles after x; the step is weight- or input-stationary",
    "shift": "operands to hold shift down by one row",
    "load": "comes with the first y of a tile, which the top row holds next; the rows below follow",
    "done": "comes with the last shift of a tile",
    "drain": "sums captured start to move down, one row a cycle",
    "seed_shift": "seeds shift down by one row",
    "seed_done": "comes with the last shift of the seeds of a tile",
    "point": "binary point of the sums: bit 0 weighs 2**-point, -512 to 512; changes only while the array is empty",
}


@dataclass(frozen=True)
class PortNote:
    """A port of ``lanes`` numbers side by side: ``sign`` is ``signed``, ``unsigned`` or, if no number, ``bits``."""

    name: str
    direction: str
    width: int
    sign: str
    meaning: str
    lanes: int = 1


@dataclass(frozen=True)
class Stream:
    """An AXI4-Stream: ``direction`` is ``in`` or ``out``; ``parts`` are (data, keep, last: width); ``carries`` a record
    of `layouts` or ``beats`` of ``lanes`` values of ``format``."""

    name: str
    direction: str
    parts: tuple[tuple[str, int], ...]
    carries: str
    meaning: str
    lanes: int = 1
    format: str = ""

    @property
    def width(self) -> int:
        """Bits of a beat."""
        return sum(width for _, width in self.parts)


@dataclass(frozen=True)
class Interface:
    """All ports in the order of the module head, and the streams that they make up (none of a bare array)."""

    ports: tuple[PortNote, ...]
    streams: tuple[Stream, ...]

    @property
    def sources(self) -> list[Stream]:
        """Streams into the design."""
        return [stream for stream in self.streams if stream.direction == "in"]

    @property
    def sinks(self) -> list[Stream]:
        """Streams out of the design."""
        return [stream for stream in self.streams if stream.direction == "out"]


def layouts(config: SystolicConfig) -> dict[str, data.StructLayout]:
    """Records of a core's streams, by name."""
    parameters = core_parameters(config)
    found = {"COMMAND": command_layout(parameters), "TRANSFER": TRANSFER, "ANSWER": ANSWER}
    return found | ({"COMPLETION": completion_layout(parameters)} if parameters.has_point else {})


_CLOCK = (
    PortNote("clk", "input", 1, "bits", "clock, rising edge"),
    PortNote("rst", "input", 1, "bits", "synchronous reset, active high, for at least one cycle after power-up"),
)


def interface(config: SystolicConfig) -> Interface:
    """The outside of the design that ``config`` describes."""
    block = top(config)
    if isinstance(block, SystolicArray):
        return Interface((*_CLOCK, *_array_ports(block, config)), ())
    assert isinstance(block, Pinout) and isinstance(block.inner, GemmCore)
    streams = tuple(_streams(block, block.inner, config))
    ports = [port for stream in streams for port in _stream_ports(stream, config)]
    return Interface((*_CLOCK, *ports), streams)


def _streams(pinout: Pinout, core: GemmCore, config: SystolicConfig) -> list[Stream]:
    found = []
    for name, member in pinout.streams():
        parts = pinout.parts(name)
        shape = core.signature.members[name].signature.members["payload"].shape
        record = next((label for label, layout in layouts(config).items() if shape == layout), "beats")
        lanes, fmt = (1, "")
        if record == "beats":
            lanes = parts["keep"]
            fmt = str({"load_a": config.a, "load_b": config.b}.get(name.removesuffix("_beats"), config.acc))
        direction = "in" if member.flow is In else "out"
        found.append(Stream(name, direction, tuple(parts.items()), record, _STREAMS[name], lanes, fmt))
    return found


def _stream_ports(stream: Stream, config: SystolicConfig) -> list[PortNote]:
    forward, backward = ("input", "output") if stream.direction == "in" else ("output", "input")
    ports = []
    for part, width in stream.parts:
        sign, lanes, meaning = "bits", 1, stream.meaning
        if part == "keep":
            meaning = "one bit a value: it is part of the row"
        elif part == "last":
            meaning = "last beat of the matrix"
        elif stream.carries == "beats":
            sign, lanes = _sign(parse_format(stream.format)), stream.lanes
            meaning = f"{stream.meaning}, {stream.format}, first value lowest; a row starts on a new beat"
        else:
            article = "an" if stream.carries[0] in "AEIOU" else "a"
            meaning = f"{stream.meaning}: {article} {stream.carries} record"
        ports.append(PortNote(f"{stream.name}_t{part}", forward, width, sign, meaning, lanes))
    ports.append(PortNote(f"{stream.name}_tvalid", forward, 1, "bits", "a beat is offered"))
    ports.append(PortNote(f"{stream.name}_tready", backward, 1, "bits", "the beat is taken"))
    return ports


def _sign(fmt: Format) -> str:
    """What a port of values of ``fmt`` is: ``signed`` or ``unsigned`` integers, or ``bits``."""
    return ("signed" if fmt.signed else "unsigned") if isinstance(fmt, IntFormat) else "bits"


def _array_ports(array: SystolicArray, config: SystolicConfig) -> list[PortNote]:
    operands = array.element.operands
    held = {"ws": ("A", "B"), "is": ("B", "A"), "os": ("A", "B"), "any": ("A (IS: B)", "B (IS: A)")}[config.dataflow]
    values = {
        "x": (f"a column of operands of {held[0]}, {operands.x}{_existence(operands)}, row 0 lowest", operands.x),
        "y": (f"a row of operands of {held[1]}, {operands.y}, column 0 lowest", operands.y),
        "seeds": ("what sums start from, column 0 lowest", config.acc),
        "sums": ("sums at the foot of the array, column 0 lowest", config.acc),
    }
    lanes = {"x": array.rows, "y": array.cols, "seeds": array.cols, "sums": array.cols}
    ports = []
    for name, member in array.signature.members.items():
        width, direction = Shape.cast(member.shape).width, "input" if member.flow is In else "output"
        if name in values:
            meaning, fmt = values[name]
            numbers = operands.vector if name == "y" or (name == "x" and not _existence(operands)) else 1
            ports.append(PortNote(name, direction, width, _sign(fmt), meaning, lanes[name] * numbers))
        else:
            sign = "signed" if name == "point" else "bits"
            ports.append(PortNote(name, direction, width, sign, _CONTROLS[name]))
    return ports


def _existence(operands: Operands) -> str:
    """What a word of ``x`` has besides its values."""
    if operands.x_width == operands.vector * operands.x.width:
        return ""
    bit = "a bit" if operands.vector == 1 else "a bit for each"
    return f" and above {'it' if operands.vector == 1 else 'them'} {bit} that says it exists"
