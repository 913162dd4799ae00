"""Block RAMs, multipliers and single-port RAMs of an iCE40 UltraPlus."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tilewright.fpga.decompile.fabric import Configured, Fabric, NotDecoded, Segment
from tilewright.fpga.decompile.icebox_database import icebox
from tilewright.fpga.decompile.logic_cells import level

_PAIRS = ("OUTPUT_SELECT", "ADDSUB_LOWERINPUT", "ADDSUB_CARRYSELECT")
_CLOCK_ENABLES = ("WCLKE", "RCLKE")  # 1 where nothing is at them
_CONTROLS = (
    *("CLK", "CE", "IRSTTOP", "IRSTBOT", "ORSTTOP", "ORSTBOT", "AHOLD", "BHOLD", "CHOLD", "DHOLD", "OHOLDTOP"),
    *("OHOLDBOT", "ADDSUBTOP", "ADDSUBBOT", "OLOADTOP", "OLOADBOT", "CI"),
)


HardBlock = tuple[Callable[..., Iterator[str]], tuple[int, ...]]
"""What gives its Verilog, of a fabric and its place; and this place."""


def used_hard_blocks(fabric: Fabric) -> Iterator[HardBlock]:
    """All that are in use: block RAMs that are awake, multipliers with an output, enabled single-port RAMs."""
    chip = fabric.chip
    yield from ((block_ram, (x, y)) for x, y in sorted(chip.ramb_tiles) if fabric.is_set(x, y, "RamConfig", "PowerUp"))
    for x, y in sorted(chip.dsp_tiles[0]):
        nets = chip.get_dsp_nets_db(x, y)
        if any(fabric.net(*nets[f"O_{bit}"]) is not None for bit in range(32)):
            yield multiplier, (x, y)
    for place, wires in sorted(icebox().spram_db["5k"].items()):
        x, y, enabled = wires["SPRAM_EN"]
        if fabric.is_set(x, y, "IpConfig", enabled):
            yield single_port_ram, place


def block_ram(fabric: Configured, x: int, y: int) -> Iterator[str]:
    """Verilog of a block RAM, as a cell of Yosys' library."""
    if any(icebox().get_negclk_bit(fabric.chip.tile(x, row)) == "1" for row in (y, y + 1)):
        raise NotDecoded(f"the block RAM of tile {x}, {y} has a falling clock")

    modes = [fabric.is_set(x, y + 1, "RamConfig", f"CBIT_{bit}") for bit in range(4)]
    read, write = modes[2] + 2 * modes[3], modes[0] + 2 * modes[1]
    first = fabric.chip.ram_data.get((x, y), ["0" * 64] * 16)
    values = "".join(f", .INIT_{row:X}(256'h{words})" for row, words in enumerate(first))
    buses = ", ".join(
        f".{name}({{{', '.join(_ram_in(fabric, x, y, f'{name}_{bit}') for bit in reversed(range(width)))}}})"
        for name, width in (("WADDR", 11), ("RADDR", 11), ("MASK", 16), ("WDATA", 16))
    )
    data = ", ".join(_ram_out(fabric, x, y, bit) for bit in reversed(range(16)))
    single = ", ".join(
        f".{name}({_ram_in(fabric, x, y, name, name in _CLOCK_ENABLES)})"
        for name in ("WE", "WCLKE", "WCLK", "RE", "RCLKE", "RCLK")
    )
    yield f"SB_RAM40_4K #(.READ_MODE({read}), .WRITE_MODE({write}){values})"
    yield f"  ram_{x}_{y} ({buses}, .RDATA({{{data}}}), {single});"


def _ram_in(fabric: Configured, x: int, y: int, name: str, otherwise: bool = False) -> str:
    """What goes into a block RAM, at its tile or at the one above; the level where nothing does."""
    nets = [net for row in (y, y + 1) if (net := fabric.net(x, row, f"ram/{name}")) is not None]
    return level(nets[0] if nets else None, f"1'b{int(otherwise)}")


def _ram_out(fabric: Configured, x: int, y: int, bit: int) -> str:
    """The lower byte leaves at the tile above."""
    return f"n{fabric.driven(x, y + (bit < 8), f'ram/RDATA_{bit}')}"


def multiplier(fabric: Configured, x: int, y: int) -> Iterator[str]:
    """Verilog of an SB_MAC16; cascades are not decoded."""
    chip = fabric.chip
    nets = chip.get_dsp_nets_db(x, y)
    outputs = [nets[f"O_{bit}"] for bit in range(32)]
    bits = {name: fabric.is_set(at[0], at[1], "IpConfig", at[2]) for name, at in chip.get_dsp_config_db(x, y).items()}
    told = [f".NEG_TRIGGER(1'b{icebox().get_negclk_bit(chip.tile(x, y + 2))})"]
    for name in (f"{half}{pair}" for half in ("TOP", "BOT") for pair in _PAIRS):
        high, low = (int(bits.pop(f"{name}_{bit}")) for bit in (1, 0))
        told.append(f".{name}(2'b{high}{low})")
    told += [f".{name}(1'b{int(value)})" for name, value in sorted(bits.items())]
    ports = [f".{name}({level(fabric.net(*nets[name]), _rest(name))})" for name in _CONTROLS]
    for bus in "ABCD":
        wires = (_low(fabric, nets[f"{bus}_{bit}"]) for bit in reversed(range(16)))
        ports.append(f".{bus}({{{', '.join(wires)}}})")
    ports.append(f".O({{{', '.join(_out(fabric, segment) for segment in reversed(outputs))}}})")
    if fabric.net(*nets["CO"]) is not None:
        ports.append(f".CO({_out(fabric, nets['CO'])})")
    yield f"SB_MAC16 #({', '.join(told)})"
    yield f"  dsp_{x}_{y} ({', '.join(ports)}, .ACCUMCI(1'b0), .SIGNEXTIN(1'b0));"


def _rest(control: str) -> str:
    return "1'b1" if control == "CE" else "1'b0"


def single_port_ram(fabric: Configured, *place: int) -> Iterator[str]:
    """Verilog of an SB_SPRAM256KA."""
    wires = icebox().spram_db["5k"][place]
    ports = [
        f".{bus}({{{', '.join(_low(fabric, wires[f'{bus}_{bit}']) for bit in reversed(range(width)))}}})"
        for bus, width in (("ADDRESS", 14), ("DATAIN", 16), ("MASKWREN", 4))
    ]
    ports.append(f".DATAOUT({{{', '.join(_out(fabric, wires[f'DATAOUT_{bit}']) for bit in reversed(range(16)))}}})")
    ports += [
        f".{name}({_low(fabric, wires[name])})"
        for name in ("WREN", "CHIPSELECT", "CLOCK", "STANDBY", "SLEEP", "POWEROFF")
    ]
    yield f"SB_SPRAM256KA spram_{'_'.join(map(str, place))} ({', '.join(ports)});"


def _low(fabric: Configured, segment: Segment) -> str:
    """A wire that is 0 where nothing is at it."""
    return level(fabric.net(*segment), "1'b0")


def _out(fabric: Configured, segment: Segment) -> str:
    return f"n{fabric.driven(*segment)}"
