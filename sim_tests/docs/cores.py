"""A drawing and a table of engines with several cores."""

from __future__ import annotations

from tilewright.generators.config.engine import engine_config
from tilewright.generators.report.waves import ways
from tilewright.generators.report.workload import Layer
from tilewright.sim_tests.docs.pages import table
from tilewright.sim_tests.docs.svg import GREY, Drawing

PRODUCT = Layer("product", 60, 4, 16)
SMALL = {"rows": 4, "cols": 4, "cores": 4, "bus_bits": 64, "a_words": 96, "b_words": 32, "c_words": 24}


def cores() -> str:
    """One fetch, the deal, and workers with a memory port each."""
    drawing = Drawing(900, 270)
    drawing.text(8, 24, "GEMM engine of several cores", size=14, bold=True)
    drawing.text(
        8, 42, "one list of instructions; each core has tokens and a memory port of its own", size=11, fill=GREY
    )
    drawing.text(8, 116, "s_axi", bold=True)
    drawing.arrow((50, 112), (68, 112))
    drawing.box(70, 70, 84, 84)
    drawing.text(112, 108, "registers", middle=True)
    drawing.text(112, 125, "supervisor", size=10, middle=True, fill=GREY)
    drawing.arrow((112, 154), (112, 178))
    drawing.text(112, 194, "irq", bold=True, middle=True)
    drawing.arrow((154, 96), (178, 96))
    drawing.box(180, 70, 112, 54)
    drawing.text(236, 92, "fetch, deal", middle=True)
    drawing.text(236, 109, "in program order", size=10, middle=True, fill=GREY)
    drawing.arrow((292, 96), (310, 96), (310, 56), (835, 56), head=False)
    for index, name in enumerate(("worker 0", "worker 1", "…")):
        x = 330 + index * 195
        drawing.box(x, 70, 170, 96)
        drawing.text(x + 85, 96, name, middle=True, bold=True)
        drawing.arrow((x + 85, 56), (x + 85, 69))
        if index < 2:
            drawing.text(x + 85, 118, "queues, sequencers, tokens", size=10, middle=True, fill=GREY)
            drawing.text(x + 85, 134, "scratchpads, array, finish", size=10, middle=True, fill=GREY)
            drawing.text(x + 85, 150, "movers", size=10, middle=True, fill=GREY)
        drawing.box(x, 214, 170, 34, fill="#eef1f4")
        drawing.text(x + 85, 235, f"m_axi_{index}" if index < 2 else "…", middle=True)
        drawing.arrow((x + 60, 214), (x + 60, 168))
        drawing.arrow((x + 110, 166), (x + 110, 212))
    drawing.arrow((330, 231), (236, 231), (236, 126))
    return drawing.svg()


def engine_waves() -> str:
    """Tiles of one core dealt in waves, and pieces of the planner."""
    found = ways(engine_config(SMALL), PRODUCT)
    lines: list[tuple[object, ...]] = []
    for way in found:
        waves = way.waves
        size = f"{way.rows} x {way.cols}"
        speed = f"{found[0].cycles / way.cycles:.2f}"
        used = f"{waves.utilisation:.0%}"
        lines.append((way.name, waves.tiles, size, waves.count, waves.last, used, f"{way.cycles:,}", speed))
    heads = ("way", "tiles", "largest", "waves", "in the last", "cores with a tile", "cycles", "speed-up")
    return table(heads, lines)
