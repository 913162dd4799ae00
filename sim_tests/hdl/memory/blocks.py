"""The memories that are tested."""

from __future__ import annotations

from tilewright.hdl.memory import (
    AddressGenerator,
    BankedScratchpad,
    Geometry,
    NBuffer,
    Ram,
    Rotator,
    TailedRam,
    WideScratchpad,
    ram,
)
from tilewright.hdl.memory.register_file import RegisterFile
from tilewright.hdl.stream import Watched
from tilewright.hdl.structure import Block

BANKED = {
    "banked1": Geometry(words=40, lanes=1, banked=True, width=6),
    "banked2": Geometry(words=70, lanes=2, banked=True, width=5, slots=4),
    "banked4": Geometry(words=64, lanes=4, banked=True, width=3, slots=2),
    "banked8": Geometry(words=50, lanes=8, banked=True, width=8),
    "banked16": Geometry(words=33, lanes=16, banked=True, width=4),
}
WIDE = {
    "wide1": Geometry(words=32, lanes=1, banked=False, width=7),
    "wide5": Geometry(words=20, lanes=5, banked=False, width=4),
    "wide3": Geometry(words=30, lanes=3, banked=False, width=5, slots=2),
}
RAMS: dict[str, Ram | TailedRam] = {
    "ram": Ram(13, 8),
    "ram_lanes": Ram(16, 4, lanes=3),
    "ram_one": Ram(1, 5),
    "ram_tail": ram(520, 4, lanes=2),
}
ROTATORS = {
    f"{'left' if left else 'right'}{n}": Rotator(n, 3, left=left) for n in (2, 4, 8, 16) for left in (False, True)
}
NBUFFERS = {"nbuffer1": NBuffer(1, 4, 6), "nbuffer2": NBuffer(2, 16, 9), "nbuffer3": NBuffer(3, 10, 12)}
GENERATORS = {
    "loops1": AddressGenerator(1, 8, 3),
    "loops3": AddressGenerator(3, 10, 4),
    "loops5": AddressGenerator(5, 16, 6),
}


def blocks() -> dict[str, Block]:
    """All of them, by label."""
    found: dict[str, Block] = {label: BankedScratchpad(label, geometry) for label, geometry in BANKED.items()}
    found |= {label: WideScratchpad(label, geometry) for label, geometry in WIDE.items()}
    found |= {"file": RegisterFile(6, 7)} | RAMS | ROTATORS | NBUFFERS
    return found | {label: Watched(block) for label, block in GENERATORS.items()}
