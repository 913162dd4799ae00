"""What becomes of a design where one bit of its bitstream is flipped: which cells, and what they are then."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from tilewright.fpga.decompile.config_bits import ConfigBit, flipped
from tilewright.fpga.decompile.fabric import Fabric, NotDecoded, Segment
from tilewright.fpga.decompile.hard_blocks import used_hard_blocks
from tilewright.fpga.decompile.logic_cells import CELLS, level, logic_cell, logic_cell_at, used_logic_cells
from tilewright.fpga.decompile.wires import Wires

Place = tuple[Callable[..., Iterator[str]], tuple[int, ...]]
"""A cell: what gives its Verilog, of a fabric and its place; and this place."""


@dataclass(frozen=True)
class Flip:
    """What a bit changes.

    Attributes:
        bit: the one that is flipped.
        cells: the changed cells as they are then, with outputs of their own; those that are used only then.
        then: the same, but at the design's nets.
        wires: lines of what is driven several times: one 0 suffices for a 0.
        outputs: net of a changed cell's output in the design, to the net of the changed cell itself.
        ports: output port to what is at it then, where that is something else.
    """

    bit: ConfigBit
    cells: Mapping[Place, tuple[str, ...]]
    then: Mapping[Place, tuple[str, ...]]
    wires: tuple[str, ...]
    outputs: Mapping[int, int]
    ports: Mapping[str, str]


@dataclass
class View:
    """A fabric some of whose wires are driven by others.

    Attributes:
        design: the unchanged one.
        moved: what drives wires, where that has been found anew.
        own: nets of wires that a cell drives, in the place of the design's.
        fresh: nets of wires that cells drive, but not in the design.
        drives: wires that cells told to drive, since this was made.
        shorts: nets of wires with several drivers, and these.
        read: nets that were asked for at wires that moved.
    """

    design: Design
    moved: Mapping[Segment, tuple[Segment, ...]] = field(default_factory=dict)
    own: Mapping[Segment, int] = field(default_factory=dict)
    fresh: dict[Segment, int] = field(default_factory=dict)
    drives: list[Segment] = field(default_factory=list)
    shorts: dict[tuple[int, ...], int] = field(default_factory=dict)
    read: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.chip = self.design.fabric.chip

    def net(self, x: int, y: int, name: str) -> int | None:
        """What drives a wire; None where nothing does."""
        if (x, y, name) not in self.moved:
            return self.design.net((x, y, name))
        nets = tuple(sorted(self._driver(segment) for segment in self.moved[x, y, name]))
        if len(nets) > 1 and nets not in self.shorts:
            self.shorts[nets] = self.design.new()
        self.read |= set(nets)
        return None if not nets else nets[0] if len(nets) == 1 else self.shorts[nets]

    def driven(self, x: int, y: int, name: str) -> int:
        """The net of a wire that a cell drives."""
        self.drives.append((x, y, name))
        return self.own.get((x, y, name)) or self._driver((x, y, name))

    def is_set(self, x: int, y: int, kind: str, name: str) -> bool:
        """See `Fabric.is_set`."""
        return self.design.fabric.is_set(x, y, kind, name)

    def lines(self, place: Place) -> tuple[str, ...]:
        """Verilog of a cell."""
        return tuple(place[0](self, *place[1]))

    def _driver(self, segment: Segment) -> int:
        found = self.design.drivers.get(segment)
        if found is not None:
            return found
        if segment not in self.fresh:
            self.fresh[segment] = self.design.new()
        return self.fresh[segment]


class Design:
    """The cells of a bitstream, and what flips change of them.

    Args:
        fabric: the bitstream; cells are told here, so it must be fresh.
        wires: likewise.

    Attributes:
        cells: all, with the wires that each drives.
        drivers: wires that cells or inputs drive, and their nets.
    """

    def __init__(self, fabric: Fabric, wires: Wires) -> None:
        self.fabric, self.wires = fabric, wires
        self.cells: dict[Place, tuple[Segment, ...]] = {}
        self.drivers = {fabric.pads[port]: net for port, net in fabric.inputs.items()}
        self._readers: dict[int, set[Place]] = {}
        self._numbers: Iterator[int] = itertools.count(0)
        places: list[Place] = [(logic_cell, cell) for cell in used_logic_cells(fabric)]
        places += used_hard_blocks(fabric)
        listener = _Listener(fabric)
        for place in places:
            for _ in place[0](listener, *place[1]):
                pass
            self.cells[place] = tuple(listener.drives)
            self.drivers |= {segment: fabric.driven(*segment) for segment in listener.drives}
            for segment in listener.reads:
                net = fabric.net(*segment)
                self._readers.setdefault(-1 if net is None else net, set()).add(place)
            listener = _Listener(fabric)
        self._driven = set(self.drivers.values())
        self._numbers = itertools.count(fabric.count)
        self._segments: dict[int, list[Segment]] = {}
        for segment in fabric.segments():
            self._segments.setdefault(fabric.net(*segment) or 0, []).append(segment)
        self._lines: dict[Place, tuple[str, ...]] = {}
        self._blocks = [place for place in places if place[0] is not logic_cell]

    def is_read(self, net: int) -> bool:
        """Whether a cell or an output is at a net."""
        return net in self._readers or net in self.fabric.outputs.values()

    def new(self) -> int:
        """A net that is not in the design."""
        return next(self._numbers)

    def net(self, segment: Segment) -> int | None:
        """The net of a wire, if it is driven."""
        net = self.fabric.net(*segment)
        return net if net in self._driven else None

    def lines(self, place: Place) -> tuple[str, ...] | None:
        """Verilog of a cell of the design; None where there is none."""
        if place not in self.cells:
            return None
        if place not in self._lines:
            self._lines[place] = View(self).lines(place)
        return self._lines[place]

    def flip(self, bit: ConfigBit) -> Flip | None:
        """What a bit changes; None where no cell and no port is another one with it.

        Raises NotDecoded where the bitstream cannot be taken apart then.
        """
        with self._flipped(bit) as changed:
            moved, places, used = self._after(bit, changed)
            view = View(self, moved)
            after = {place: view.lines(place) for place in sorted(places, key=_order)}
        ports = self._ports(view)
        idle = tuple(f"assign n{net} = " for net in view.fresh.values() if net not in view.read)
        after = {place: tuple(line for line in lines if not line.startswith(idle)) for place, lines in after.items()}
        cells = [place for place, lines in after.items() if lines != self.lines(place) and place not in used]
        if not cells and not ports:
            return None
        own: dict[Segment, int] = {}
        for place in cells:
            own |= {segment: self.new() for segment in self.cells[place]}
        with self._flipped(bit):
            view.own = own
            told = {place: view.lines(place) for place in [*cells, *sorted(used, key=_order)]}
            driven = set(view.drives)
        shorts = tuple(f"assign n{net} = {' & '.join(f'n{one}' for one in nets)};" for nets, net in view.shorts.items())
        outputs = {self.drivers[segment]: net for segment, net in own.items() if segment in driven}
        then = told | {place: after[place] for place in cells}
        return Flip(bit, told, then, shorts, outputs, ports)

    @contextmanager
    def _flipped(self, bit: ConfigBit) -> Iterator[set[Segment]]:
        """While this lasts, the bit is flipped; gives the wires at which connections come or go."""
        before = self.wires.connections(bit.x, bit.y)
        try:
            with flipped(self.fabric.chip, bit):
                self.wires.read(bit.x, bit.y)
                yield set(itertools.chain(*(before ^ self.wires.connections(bit.x, bit.y))))
        finally:
            self.wires.read(bit.x, bit.y)

    def _after(
        self, bit: ConfigBit, changed: set[Segment]
    ) -> tuple[dict[Segment, tuple[Segment, ...]], set[Place], set[Place]]:
        """What drives wires whose connections or drivers changed; cells that may be others; new ones that drive any."""
        groups = self._groups(changed)
        near: list[Place] = [(logic_cell, (bit.x, bit.y, cell)) for cell in range(CELLS)]
        here = {place for place in near if place in self.cells}
        met: list[Place] = [
            (logic_cell, cell) for group in groups for wire in group if (cell := logic_cell_at(self.fabric, wire))
        ]
        new = {place for place in met if place not in self.cells}
        drives: dict[Place, tuple[Segment, ...]] = {}
        for place in here | new:
            listener = _Listener(self.fabric)
            for _ in place[0](listener, *place[1]):
                pass
            drives[place] = tuple(listener.drives)
        lost = {segment for place in here for segment in self.cells[place]} - {
            s for place in here for s in drives[place]
        }
        gained = {segment for found in drives.values() for segment in found} - self.drivers.keys()
        groups = self._groups(changed | lost | {s for place in here for s in drives[place] if s in gained})
        drivers = (self.drivers.keys() - lost) | gained
        moved: dict[Segment, tuple[Segment, ...]] = {}
        for group in groups:
            at = tuple(sorted(group & drivers))
            moved |= dict.fromkeys(group, at)
        nets = {net for segment in moved if (net := self.fabric.net(*segment)) is not None}
        readers = {place for net in nets for place in self._readers.get(net, ())}
        used = {place for place in new if any(segment in moved for segment in drives[place])}
        return moved, here | readers | set(self._blocks), used

    def _groups(self, changed: Iterable[Segment]) -> list[set[Segment]]:
        """The wires of all nets of the design that ``changed`` are of, in the groups that they are now."""
        waiting = set(changed)
        for segment in list(waiting):
            net = self.fabric.net(*segment)
            waiting.update(() if net is None else self._segments[net])
        groups = []
        while waiting:
            group = self.wires.group(min(waiting))
            self._check_pads(group)
            groups.append(group)
            waiting -= group
        return groups

    def _check_pads(self, group: set[Segment]) -> None:
        """Raises NotDecoded where a wire is at a pad in a way that `Fabric` does not take."""
        for x, y, name in group:
            found = re.fullmatch(r"io_(\d)/D_(IN|OUT)_(\d)", name)
            if not found or self.fabric.chip.tile_type(x, y) != "IO":
                continue
            ports = self.fabric.inputs if found[2] == "IN" else self.fabric.outputs
            known = (x, y, f"io_{found[1]}/PAD") in (self.fabric.pads[port] for port in ports)
            if (known and found[3] != "0") or (not known and found[2] == "IN"):
                raise NotDecoded(f"pad {found[1]} of tile {x}, {y} is used, but no port is there")

    def _ports(self, view: View) -> dict[str, str]:
        """Output ports at which there is something else."""
        found = {}
        for port in self.fabric.outputs:
            pad = self.fabric.pads[port]
            then = level(view.net(*pad), "1'b0")
            if then != level(self.net(pad), "1'b0"):
                found[port] = then
        return found


class _Listener:
    """Hears what a cell reads and drives."""

    def __init__(self, fabric: Fabric) -> None:
        self.chip, self._fabric = fabric.chip, fabric
        self.reads: list[Segment] = []
        self.drives: list[Segment] = []

    def net(self, x: int, y: int, name: str) -> int | None:
        """See `Fabric.net`."""
        self.reads.append((x, y, name))
        return self._fabric.net(x, y, name)

    def driven(self, x: int, y: int, name: str) -> int:
        """Any number."""
        self.drives.append((x, y, name))
        return 0

    def is_set(self, x: int, y: int, kind: str, name: str) -> bool:
        """See `Fabric.is_set`."""
        return self._fabric.is_set(x, y, kind, name)


def _order(place: Place) -> tuple[str, tuple[int, ...]]:
    return place[0].__name__, place[1]
