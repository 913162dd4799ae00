"""All drawings of the documents, by file name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from tilewright.sim_tests.docs.cores import cores
from tilewright.sim_tests.docs.svg import GREY, TINTS, Drawing
from tilewright.sim_tests.docs.wavefront import wavefront

A, B, C = TINTS
_SIDE, _GAP = 46, 14


def dataflows() -> str:
    """What stays and what moves in each dataflow, on 3 x 3 elements."""
    drawing = Drawing(900, 330)
    _panel(drawing, 20, "weight-stationary (ws)", "B", B, ("A", A, "row r: column k = r of A, M steps"))
    _panel(drawing, 320, "output-stationary (os)", "C", C, ("A", A, "row r: row m = r of A, K steps"))
    _panel(drawing, 620, "input-stationary (is)", "A", A, ("B", B, "row r: row k = r of B, N steps"))
    return drawing.svg()


def _panel(drawing: Drawing, left: float, title: str, held: str, tint: str, streamed: tuple[str, str, str]) -> None:
    name, stream_tint, words = streamed
    first, top = left + 62, 92
    drawing.text(left, 22, title, size=14, bold=True)
    drawing.text(left, 42, f"{held} stays, {name} streams", fill=GREY)
    for index in range(3):
        y = top + index * (_SIDE + _GAP)
        drawing.box(left + index * 5, y + 12, 24, 22, fill=stream_tint)
        drawing.text(left + 12 + index * 5, y + 27, name, middle=True)
        drawing.arrow((left + 26 + index * 5, y + 23), (first - 2, y + 23))
        for col in range(3):
            x = first + col * (_SIDE + _GAP)
            drawing.box(x, y, _SIDE, _SIDE, fill=tint)
            drawing.text(x + _SIDE / 2, y + 28, held, size=15, middle=True)
            if col < 2:
                drawing.arrow((x + _SIDE, y + 23), (x + _SIDE + _GAP - 1, y + 23))
            drawing.arrow((x + 23, y + _SIDE), (x + 23, y + _SIDE + _GAP - 1))
            if index == 0:
                drawing.arrow((x + 23, top - 22), (x + 23, top - 1))
    foot = top + 3 * (_SIDE + _GAP) + 14
    above = "B streams in from above" if held == "C" else f"the next tile of {held} shifts in from above"
    below = "finished tiles of C drain below" if held == "C" else "partial sums of C leave below, one word a cycle"
    drawing.text(first, top - 26, above, size=11)
    drawing.text(left, foot, below, size=11)
    drawing.text(left, foot + 17, words, size=11, fill=GREY)


def core() -> str:
    """The blocks of a GEMM core and the streams around them."""
    drawing = Drawing(900, 372)
    for y, name, tint in ((60, "A", A), (140, "B", B)):
        drawing.box(190, y, 130, 56, fill=tint)
        drawing.text(255, y + 24, f"scratchpad {name}", middle=True)
        drawing.text(255, y + 42, "one word or banks", size=10, middle=True, fill=GREY)
        drawing.arrow((146, y + 28), (188, y + 28))
        drawing.text(8, y + 24, f"load_{name.lower()}", bold=True)
        drawing.text(8, y + 40, "command, beats, answer", size=10, fill=GREY)
        drawing.arrow((320, y + 28), (408, y + 28))
    drawing.box(410, 60, 150, 136)
    drawing.text(485, 84, "array", size=14, middle=True, bold=True)
    drawing.text(485, 102, "rows x cols elements", size=11, middle=True)
    for row in range(4):
        for col in range(5):
            drawing.box(440 + col * 19, 114 + row * 18, 14, 13, fill=TINTS[2])
    drawing.arrow((560, 128), (618, 128))
    drawing.box(620, 96, 104, 64)
    drawing.text(672, 124, "accumulator", middle=True)
    drawing.text(672, 142, "start + sum", size=10, middle=True, fill=GREY)
    drawing.arrow((672, 160), (672, 218))
    drawing.arrow((700, 218), (700, 162))
    drawing.box(600, 220, 150, 62, fill=C)
    drawing.text(675, 246, "C, two regions", middle=True)
    drawing.text(675, 264, "sums, bias rows", size=10, middle=True, fill=GREY)
    drawing.arrow((750, 240), (806, 240))
    drawing.text(812, 236, "read_c", bold=True)
    drawing.text(812, 252, "rows of C", size=10, fill=GREY)
    drawing.arrow((806, 272), (752, 272))
    drawing.text(812, 276, "load_c", bold=True)
    drawing.box(190, 246, 130, 66)
    drawing.text(255, 272, "commands", middle=True)
    drawing.text(255, 290, "checked, 4 in flight", size=10, middle=True, fill=GREY)
    drawing.arrow((146, 279), (188, 279))
    drawing.text(8, 275, "command", bold=True)
    drawing.text(8, 291, "M, N, K, bases, dataflow", size=10, fill=GREY)
    drawing.box(410, 246, 150, 66)
    drawing.text(485, 272, "sequencers", middle=True)
    drawing.text(485, 290, "hold, stream, C in, C out", size=10, middle=True, fill=GREY)
    drawing.arrow((320, 279), (408, 279))
    drawing.arrow((485, 246), (485, 198))
    drawing.arrow((560, 262), (598, 262))
    drawing.arrow((255, 312), (255, 346), (806, 346))
    drawing.text(812, 350, "completion", bold=True)
    drawing.text(8, 24, "GEMM core: C = start + A @ B", size=14, bold=True)
    drawing.text(8, 42, "every arrow at the edge is a stream: valid, ready", size=11, fill=GREY)
    return drawing.svg()


def engine() -> str:
    """The blocks of an engine, and its ports."""
    drawing = Drawing(900, 400)
    drawing.text(8, 24, "GEMM engine: a core between AXI4 ports", size=14, bold=True)
    drawing.text(8, 42, "programs and matrices lie in memory; tokens say what waits for what", size=11, fill=GREY)
    _engine_program(drawing)
    for index, (name, words) in enumerate(
        (("load sequencer", "LOAD_TENSOR, LOAD"), ("compute sequencer", "GEMM"), ("store sequencer", "FINISH, STORE"))
    ):
        x = 330 + index * 170
        drawing.box(x, 70, 150, 52)
        drawing.text(x + 75, 92, name, middle=True)
        drawing.text(x + 75, 109, words, size=10, middle=True, fill=GREY)
        drawing.arrow((x + 75, 56), (x + 75, 69))
        drawing.arrow((x + 75, 122), (x + 75, 178 if index == 1 else 228))
    drawing.arrow((292, 96), (310, 96), (310, 56), (745, 56), head=False)
    drawing.box(835, 70, 57, 52)
    drawing.text(863, 92, "tokens", size=11, middle=True)
    drawing.text(863, 109, "of all three", size=9, middle=True, fill=GREY)
    drawing.arrow((834, 96), (822, 96))
    drawing.box(340, 230, 130, 56)
    drawing.text(405, 254, "read mover", middle=True)
    drawing.text(405, 272, "boxes to bursts", size=10, middle=True, fill=GREY)
    drawing.box(500, 180, 150, 126)
    drawing.text(575, 200, "GEMM core", middle=True, bold=True)
    for y, name, tint in ((210, "A", A), (232, "B", B), (254, "C, two regions", C)):
        drawing.box(512, y, 126, 18, fill=tint)
        drawing.text(575, y + 13, name, size=10, middle=True)
    drawing.text(575, 294, "array", size=11, middle=True)
    drawing.arrow((470, 258), (498, 258))
    drawing.box(680, 230, 130, 56)
    drawing.text(745, 254, "finish, write mover", middle=True)
    drawing.text(745, 272, "requantise, activate", size=10, middle=True, fill=GREY)
    drawing.arrow((650, 258), (678, 258))
    drawing.box(180, 340, 712, 34, fill="#eef1f4")
    drawing.text(536, 361, "m_axi: AXI4 to memory, one ID, INCR bursts", middle=True)
    drawing.arrow((405, 340), (405, 288))
    drawing.arrow((745, 286), (745, 338))
    drawing.arrow((236, 340), (236, 126))
    return drawing.svg()


def _engine_program(drawing: Drawing) -> None:
    """Registers, and the way of instructions."""
    drawing.text(8, 166, "s_axi", bold=True)
    drawing.text(8, 182, "AXI4-Lite", size=10, fill=GREY)
    drawing.arrow((60, 170), (68, 170))
    drawing.box(70, 70, 84, 160)
    drawing.text(112, 146, "registers", middle=True)
    drawing.text(112, 163, "counters", size=10, middle=True, fill=GREY)
    drawing.text(112, 178, "supervisor", size=10, middle=True, fill=GREY)
    drawing.arrow((112, 230), (112, 256))
    drawing.text(112, 272, "irq", bold=True, middle=True)
    drawing.arrow((154, 96), (178, 96))
    drawing.box(180, 70, 112, 54)
    drawing.text(236, 92, "fetch, dispatch", middle=True)
    drawing.text(236, 109, "in program order", size=10, middle=True, fill=GREY)


DRAWINGS: Mapping[str, Callable[[], str]] = {
    "core.svg": core,
    "cores.svg": cores,
    "dataflows.svg": dataflows,
    "engine.svg": engine,
    "wavefront-ws.svg": partial(wavefront, "ws"),
    "wavefront-os.svg": partial(wavefront, "os"),
    "wavefront-is.svg": partial(wavefront, "is"),
}
