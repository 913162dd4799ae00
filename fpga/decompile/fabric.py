"""What the bits of an iCE40 UltraPlus configure: which wires are one net, and what each tile is set to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from tilewright.fpga.decompile.icebox_database import icebox

Segment = tuple[int, int, str]
"""A wire: tile and name."""

_INPUT, _OUTPUT = "100000", "100110"
"""The six bits PINTYPE, first one first, of pads that are wired straight through."""
_UNUSED = "000000"


class NotDecoded(ValueError):
    """The bitstream sets something that is not taken apart here; the message says what."""


class Configured(Protocol):
    """What cells are told by: see `Fabric`."""

    chip: Any

    def net(self, x: int, y: int, name: str) -> int | None:
        """See `Fabric.net`."""
        ...

    def driven(self, x: int, y: int, name: str) -> int:
        """See `Fabric.driven`."""
        ...

    def is_set(self, x: int, y: int, kind: str, name: str) -> bool:
        """See `Fabric.is_set`."""
        ...


class Fabric:
    """The nets of a bitstream in text form (``.asc``), by number; what it sets besides.

    Args:
        asc: the file.
        package: of the part, whose pins ``ports`` name.
        ports: pins, by name of the port.

    Attributes:
        chip: icebox's, with all bits.
        inputs, outputs: nets of ports, by name.
        pads: the wires of both.
        count: nets that there are.
    """

    def __init__(self, asc: Path, package: str, ports: Mapping[str, str]) -> None:
        self.chip: Any = icebox().iceconfig()
        self.chip.read_file(str(asc))
        if self.chip.device != "5k":
            raise NotDecoded(f"only bitstreams for the up5k are taken apart, got one for device {self.chip.device}")
        self.inputs: dict[str, int] = {}
        self.outputs: dict[str, int] = {}
        self.pads: dict[str, Segment] = {}
        pads = {(x, y, z): pin for pin, x, y, z in self.chip.pinloc_db(package)}
        names = {pin: port for port, pin in ports.items()}
        inside, connections = self._pads()
        groups = self.chip.group_segments(
            extra_connections=connections, extra_segments=[(x, y, f"io_{z}/PAD") for x, y, z in inside]
        )
        self._net: dict[Segment, int] = {}
        self.count = 0
        for group in sorted(sorted(group) for group in groups):
            for segment in group:
                self._net[segment] = self.count
            self.count += 1
        for pad, outward in inside.items():
            x, y, z = pad
            port = names.get(pads.get(pad, ""))
            if port is None:
                raise NotDecoded(f"pad {z} of tile {x}, {y} is used, but no port is there")
            self.pads[port] = (x, y, f"io_{z}/PAD")
            (self.outputs if outward else self.inputs)[port] = self._net[self.pads[port]]

    def net(self, x: int, y: int, name: str) -> int | None:
        """The net of a wire, if anything is at it."""
        return self._net.get((x, y, name))

    def driven(self, x: int, y: int, name: str) -> int:
        """The net of a wire that a cell drives; a new one where nothing else is at it."""
        if (x, y, name) not in self._net:
            self._net[x, y, name] = self.count
            self.count += 1
        return self._net[x, y, name]

    def segments(self) -> list[Segment]:
        """All wires at which anything is, in order."""
        return sorted(self._net)

    def is_set(self, x: int, y: int, kind: str, name: str) -> bool:
        """Whether the configuration bits ``kind``, ``name`` of a tile are set."""
        tile = icebox().tileconfig(self.chip.tile(x, y))
        for entry in self.chip.tile_db(x, y):
            if entry[1] == kind and entry[2] == name:
                return bool(tile.match(entry[0]))
        raise NotDecoded(f"tile {x}, {y} has no bits {kind} {name}")

    def _pads(self) -> tuple[dict[tuple[int, int, int], bool], list[tuple[Segment, Segment]]]:
        """Pads that are used, with whether they are outputs; and what is wired to them."""
        used: dict[tuple[int, int, int], bool] = {}
        connections: list[tuple[Segment, Segment]] = []
        for bit in self.chip.extra_bits:
            entry = self.chip.lookup_extra_bit(bit)
            if entry[0] != "padin_glb_netwk":
                continue
            x, y, z = self.chip.padin_pio_db()[int(entry[1])]
            used[x, y, z] = False
            connections.append(((x, y, f"io_{z}/PAD"), (x, y, f"padin_{z}")))
        kinds = self._kinds()
        for group in self.chip.group_segments():
            for x, y, name in group:
                found = re.fullmatch(r"io_(\d)/D_(IN|OUT)_(\d)", name)
                if not found or self.chip.tile_type(x, y) != "IO":
                    continue
                z, outward, kind = int(found[1]), found[2] == "OUT", kinds[x, y, int(found[1])]
                if outward and kind[2:] == _UNUSED[2:]:
                    continue  # the wire ends at a pad that is no output
                if kind != (_OUTPUT if outward else _INPUT) or found[3] != "0":
                    raise NotDecoded(f"pad {z} of tile {x}, {y} has bits PINTYPE {kind}: no plain input or output")
                used[x, y, z] = outward
                connections.append(((x, y, f"io_{z}/PAD"), (x, y, name)))
        return used, connections

    def _kinds(self) -> dict[tuple[int, int, int], str]:
        """The bits PINTYPE of each pad."""
        found: dict[tuple[int, int, int], list[str]] = {}
        for (x, y), tile in self.chip.io_tiles.items():
            bits = icebox().tileconfig(tile)
            for entry in self.chip.tile_db(x, y):
                kind = re.fullmatch(r"IOB_(\d)", entry[1])
                if kind and entry[2].startswith("PINTYPE_"):
                    levels = found.setdefault((x, y, int(kind[1])), list(_UNUSED))
                    levels[int(entry[2].removeprefix("PINTYPE_"))] = str(int(bits.match(entry[0])))
        return {pad: "".join(levels) for pad, levels in found.items()}
