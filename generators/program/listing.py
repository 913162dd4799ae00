"""Programs as text that a person can read."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tilewright.generators.program.instruction import Instruction, Token
from tilewright.hdl.engine.records import Activation, Finishing, Opcode, Target
from tilewright.hdl.systolic.parameters import Dataflow
from tilewright.hdl.systolic.records import Start

_RAW, _FINISHED = "raw", "finished"


def listing(program: Sequence[Instruction]) -> str:
    """A line for each instruction: its number, what it does, the tokens that it waits for and gives."""
    lines = []
    for number, instruction in enumerate(program):
        text = f"{number:5}  {_WORDS[instruction.opcode](instruction.fields.get, instruction.fields)}"
        waits, gives = _names(instruction.waits), _names(instruction.gives)
        tokens = "".join([f"  waits {waits}" if waits else "", f"  gives {gives}" if gives else ""])
        lines.append(f"{text:88}{tokens}".rstrip())
    return "\n".join(lines) + "\n"


def _names(tokens: int) -> str:
    known = {int(token): token.name.lower() for token in Token}
    return " ".join(known.get(t, f"t{t}") for t in range(16) if tokens >> t & 1)


_Get = Callable[..., int]


def _end(_get: _Get, _fields: object) -> str:
    return "END"


def _barrier(_get: _Get, _fields: object) -> str:
    return "BARRIER"


def _tensor(kind: str) -> Callable[[_Get, object], str]:
    def text(get: _Get, _fields: object) -> str:
        loops = [f"line {get('line', 0)}"]
        if get("tap_x_count", 0) > 1 or get("tap_y_stride", 0):
            loops.append(f"taps {get('tap_x_count')} by {get('tap_x_stride', 0)}, {get('tap_y_stride', 0)} B")
        loops.append(f"rows {get('out_x_count', 0)} by {get('out_x_stride', 0)} B")
        if get("out_y_count", 0) > 1 or get("batch_stride", 0):
            loops.append(f"{get('out_y_count')} by {get('out_y_stride', 0)} B, then {get('batch_stride', 0)} B")
        return f"{kind} {get('slot', 0)}: {'; '.join(loops)}"

    return text


def _load(get: _Get, _fields: object) -> str:
    target = Target(get("target", 0)).name + (str(get("region", 0)) if get("target", 0) == Target.C else "")
    return f"LOAD {target}[{get('base', 0)}] = {_matrix(get)}"


def _store(get: _Get, _fields: object) -> str:
    kind = _FINISHED if get("target", 0) else _RAW
    return f"STORE {_matrix(get)} = C{get('region', 0)}[{get('base', 0)}] {kind}"


def _matrix(get: _Get) -> str:
    return (
        f"{get('rows', 0)}x{get('cols', 0)} of tensor {get('slot', 0)} at {get('address', 0):#x}+{get('line_start', 0)}"
    )


def _gemm(get: _Get, _fields: object) -> str:
    region, start = get("region", 0), Start(get("start", 0))
    begins = {Start.ZERO: "", Start.BIAS: f"bias[{get('bias_base', 0)}] + ", Start.ACCUMULATE: "C + "}[start]
    shape = f"{get('m', 0)}x{get('n', 0)}x{get('k', 0)} {Dataflow(get('dataflow', 0)).name.lower()}"
    return f"GEMM C{region}[{get('c_base', 0)}] = {begins}A[{get('a_base', 0)}] B[{get('b_base', 0)}]  {shape}"


def _finish(get: _Get, _fields: object) -> str:
    if not get("mode", 0):
        return "FINISH raw"
    if get("activation", 0) and get("activation") != Activation.TABLE:
        return f"FINISH {Activation(get('activation')).name.lower()}"
    if get("mode") == Finishing.CHANNEL:
        scale = f"channels from word {get('channel_base', 0)}"
    else:
        scale = f"{get('multiplier', 0)} * 2**-{get('shift', 0)} + {get('zero_point', 0)}"
    looks = ", table" if get("activation", 0) else ""
    return f"FINISH {scale}, {get('low', 0)}..{get('high', 0)}{looks}"


_WORDS: dict[Opcode, Callable[[_Get, object], str]] = {
    Opcode.END: _end,
    Opcode.LOAD_TENSOR: _tensor("LOAD_TENSOR"),
    Opcode.LOAD: _load,
    Opcode.GEMM: _gemm,
    Opcode.FINISH: _finish,
    Opcode.STORE_TENSOR: _tensor("STORE_TENSOR"),
    Opcode.STORE: _store,
    Opcode.BARRIER: _barrier,
}
