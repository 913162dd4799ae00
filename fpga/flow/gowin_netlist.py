"""What is done to a netlist for Gowin's parts between Yosys and nextpnr."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

CLOCK_NET = "tilewright_clock"
"""The net behind the buffer of the clock's port, which a constraint of the port would not reach."""

_PLACES_OF_RAM = 8
_BUFFER = "10"  # the look-up table that gives its input


def name_clock(module: dict[str, Any]) -> None:
    """Gives the net of the clock one name and no other: of several, nextpnr would choose."""
    port = module["ports"]["clk"]["bits"]
    buffers = [cell["connections"] for cell in module["cells"].values() if cell["type"] == "IBUF"]
    net = next(pins["O"] for pins in buffers if pins["I"] == port)
    names = {name: entry for name, entry in module["netnames"].items() if entry["bits"] != net}
    module["netnames"] = names | {CLOCK_NET: {"hide_name": 0, "bits": net, "attributes": {}}}


def pair_flip_flops(module: dict[str, Any]) -> None:
    """Puts a look-up table before each flip-flop that has none of its own.

    nextpnr lets a flip-flop read the table or carry beside it only: one without takes the place of a table all the
    same. It does not see that when it spreads tables and flip-flops over the part, and then moves them against each
    other for long. A table and its flip-flop are one thing to it.
    """
    driven = {net: cell for cell in _cells(module) for net in _outputs(cell)}
    free = max((net for cell in _cells(module) for net in _nets(cell)), default=1) + 1
    paired = set[int]()
    added: dict[str, Any] = {}
    for name, cell in module["cells"].items():
        if not cell["type"].startswith("DFF"):
            continue
        (data,) = cell["connections"]["D"]
        source = driven.get(data)
        if source is not None and source["type"].startswith("LUT") and id(source) not in paired:
            paired.add(id(source))
            continue
        cell["connections"]["D"] = [free]
        added[f"{name}_before"] = _buffer(data, free)
        free += 1
    module["cells"] |= added
    module["netnames"] |= {name: _net(cell["connections"]["F"]) for name, cell in added.items()}


def places(module: dict[str, Any]) -> int:
    """Of look-up tables: those of tables, carries, and memories made of tables. A lower bound: the ends of chains of
    carries take some as well."""
    kinds = [str(cell["type"]) for cell in _cells(module)]
    tables = sum(kind.startswith("LUT") or kind == "ALU" for kind in kinds)
    return tables + _PLACES_OF_RAM * kinds.count("RAM16SDP4")


def _cells(module: dict[str, Any]) -> Iterator[dict[str, Any]]:
    return (cell for cell in module["cells"].values() if cell["type"] != "$scopeinfo")  # tells of a module that was


def _outputs(cell: dict[str, Any]) -> Iterator[int]:
    for pin, bits in cell["connections"].items():
        if cell["port_directions"][pin] == "output":
            yield from (bit for bit in bits if isinstance(bit, int))


def _nets(cell: dict[str, Any]) -> Iterator[int]:
    return (bit for bits in cell["connections"].values() for bit in bits if isinstance(bit, int))


def _buffer(data: int | str, out: int) -> dict[str, Any]:
    return {
        "hide_name": 0,
        "type": "LUT1",
        "parameters": {"INIT": _BUFFER},
        "attributes": {},
        "port_directions": {"I0": "input", "F": "output"},
        "connections": {"I0": [data], "F": [out]},
    }


def _net(bits: list[int]) -> dict[str, Any]:
    return {"hide_name": 0, "bits": bits, "attributes": {}}
