"""Which wires of an iCE40 are connected: found again from one wire on, where a tile has been set anew."""

from __future__ import annotations

from tilewright.fpga.decompile.fabric import Fabric, Segment
from tilewright.fpga.decompile.icebox_database import icebox

Connection = tuple[Segment, Segment]


class Wires:
    """The connections of a bitstream, by tile.

    Groups are those that icebox finds in the whole chip, but each of them is found on its own.

    Args:
        fabric: whose bits are read, and whose pads are wired to what is at them.
    """

    def __init__(self, fabric: Fabric) -> None:
        self.chip = chip = fabric.chip
        self._expanded: dict[Segment, frozenset[Segment]] = {}
        self._fixed: dict[Segment, set[Segment]] = {}
        for port, (x, y, name) in fabric.pads.items():
            z = name.removeprefix("io_").removesuffix("/PAD")
            for wire in (f"io_{z}/D_OUT_0",) if port in fabric.outputs else (f"io_{z}/D_IN_0", f"padin_{z}"):
                self._fix((x, y, name), (x, y, wire))
        for number, (x, y, z) in enumerate(chip.padin_pio_db()):
            self._fix((x, y, f"padin_{z}"), (x, y, f"glb_netwk_{number}"))
        for x, y, number in chip.gbufin_db():
            self._fix((x, y, "fabout"), (x, y, f"glb_netwk_{number}"))
        self._tiles: dict[tuple[int, int], frozenset[Connection]] = {}
        self._near: dict[tuple[int, int], dict[Segment, set[Segment]]] = {}
        self.tiles = [(x, y) for x in range(chip.max_x + 1) for y in range(chip.max_y + 1) if chip.tile(x, y)]
        for tile in self.tiles:
            self.read(*tile)

    def connections(self, x: int, y: int) -> frozenset[Connection]:
        """Those that a tile made when it was read."""
        return self._tiles[x, y]

    def read(self, x: int, y: int) -> None:
        """Reads the bits of a tile anew."""
        bits = icebox().tileconfig(self.chip.tile(x, y))
        self._tiles[x, y] = frozenset(
            ((x, y, entry[2]), (x, y, entry[3]))
            for entry in self.chip.tile_db(x, y)
            if entry[1] in ("routing", "buffer") and bits.match(entry[0]) and self._has(x, y, *entry[2:4])
        )
        near: dict[Segment, set[Segment]] = {}
        for one, other in self._tiles[x, y]:
            near.setdefault(one, set()).add(other)
            near.setdefault(other, set()).add(one)
        self._near[x, y] = near

    def group(self, segment: Segment) -> set[Segment]:
        """All wires that are one with a wire."""
        found: set[Segment] = set()
        waiting = [segment]
        while waiting:
            at = waiting.pop()
            if at in found:
                continue
            wire = self._wire(at)
            found |= wire
            for part in wire:
                waiting += self._near.get(part[:2], {}).get(part, ())
                waiting += self._fixed.get(part, ())
        return found

    def _has(self, x: int, y: int, *names: str) -> bool:
        return all(self.chip.tile_has_net(x, y, name) for name in names)

    def _wire(self, segment: Segment) -> frozenset[Segment]:
        """The names that a wire has in the tiles it passes."""
        if segment not in self._expanded:
            self._expanded[segment] = frozenset(self.chip.expand_net(segment))
        return self._expanded[segment]

    def _fix(self, one: Segment, other: Segment) -> None:
        self._fixed.setdefault(one, set()).add(other)
        self._fixed.setdefault(other, set()).add(one)
