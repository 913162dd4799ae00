"""A picture of a program's run: one row for each sequencer of each core, a bar for each instruction."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape

from tilewright.fpga.host.checked import whole
from tilewright.generators.program.instruction import Instruction
from tilewright.generators.reference.engine_queue import Moment
from tilewright.hdl.engine.records import Opcode, Target

_ROWS = {Opcode.LOAD: "load", Opcode.GEMM: "compute", Opcode.STORE: "store"}
_FILLS = {"load": "#b9d7f5", "compute": "#c5e8c5", "store": "#f8d3a4"}
_INK, _LINE = "#1f2933", "#9aa5b1"
_NAMES = ("load", "compute", "store")
_LEFT, _TOP, _HEIGHT, _GAP, _BOTTOM = 70, 12, 28, 10, 34
_TICKS = 8


def timeline(program: Sequence[Instruction], moments: Sequence[Moment], cycles: int, width: int = 960) -> str:
    """An SVG picture of ``cycles`` cycles, left to right.

    A bar begins where its instruction has its tokens, or where the one before it in its row has ended: those that
    overlap in the hardware are drawn one behind the other, in the order in which they end. Hatched is the time in which
    a row had ended what it had and its next instruction had not begun, for want of tokens or of the instruction itself.
    Descriptions of tensors and finishes take no time and are not drawn. Each bar's title tells its instruction and its
    cycles. Of several cores the rows follow each other, those of core 0 first.

    Args:
        program: instructions, END among them or not.
        moments: when each begins and ends, as `EngineCycles.run` tells.
        cycles: of the whole run.
        width: of the picture, 200..100,000 pixels.
    """
    width = whole("width", width, 200, 100_000)
    scale = (width - _LEFT - 12) / cycles
    cores = 1 + max((instruction.core for instruction in program), default=0)
    every = [(core, name) for core in range(cores) for name in _NAMES]
    rows = {row: _TOP + index * (_HEIGHT + _GAP) for index, row in enumerate(every)}
    height = _TOP + len(rows) * (_HEIGHT + _GAP) + _BOTTOM
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="12">',
        '<defs><pattern id="wait" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
        f'<line x1="0" y1="0" x2="0" y2="6" stroke="{_LINE}" stroke-width="2"/></pattern></defs>',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        *(f'<text x="8" y="{y + 18}" fill="{_INK}">{_told(row, cores)}</text>' for row, y in rows.items()),
    ]
    ended = dict.fromkeys(rows, 0)
    for moment in sorted(moments, key=lambda moment: moment.ends):
        instruction = program[moment.index]
        name = _ROWS.get(Opcode(instruction.opcode))
        if name is None:
            continue
        row = instruction.core, name
        begins = max(moment.begins, ended[row])
        if begins > ended[row]:
            words = f"{_told(row, cores)} waits"
            parts.append(_bar("wait", ended[row], begins, rows[row], scale, "url(#wait)", words))
        if moment.ends > moment.begins:
            parts.append(_bar("run", begins, moment.ends, rows[row], scale, _FILLS[name], _words(instruction)))
        ended[row] = max(ended[row], moment.ends)
    return "\n".join([*parts, *_axis(cycles, scale, height - _BOTTOM), "</svg>"]) + "\n"


def _told(row: tuple[int, str], cores: int) -> str:
    """What a row is called."""
    core, name = row
    return name if cores == 1 else f"{core} {name}"


def _bar(kind: str, begins: int, ends: int, y: int, scale: float, fill: str, words: str) -> str:
    return (
        f'<rect class="{kind}" x="{_LEFT + begins * scale:.2f}" y="{y}" width="{(ends - begins) * scale:.2f}" '
        f'height="{_HEIGHT}" fill="{fill}" stroke="{_LINE}" stroke-width="0.5">'
        f"<title>{escape(words)}: cycles {begins} to {ends}</title></rect>"
    )


def _words(instruction: Instruction) -> str:
    fields = instruction.fields
    if instruction.opcode == Opcode.GEMM:
        return f"GEMM {fields['m']} x {fields['n']} x {fields['k']}"
    size = f"{fields['rows']} x {fields['cols']}"
    if instruction.opcode == Opcode.STORE:
        return f"STORE {size}"
    return f"LOAD {Target(fields.get('target', 0)).name} {size}"


def _axis(cycles: int, scale: float, y: int) -> list[str]:
    """Round numbers of cycles below the rows."""
    step = 1
    while cycles / step > _TICKS:
        step = step * 5 // 2 if str(step)[0] == "2" else step * 2
    ticks = range(0, cycles + 1, step)
    marks = [
        f'<line x1="{_LEFT + at * scale:.2f}" y1="{_TOP}" x2="{_LEFT + at * scale:.2f}" y2="{y}" stroke="{_LINE}" '
        f'stroke-width="0.5" stroke-dasharray="2 3"/>'
        f'<text x="{_LEFT + at * scale:.2f}" y="{y + 14}" fill="{_INK}" text-anchor="middle">{at}</text>'
        for at in ticks
    ]
    return [*marks, f'<text x="8" y="{y + 14}" fill="{_INK}">cycles</text>']
