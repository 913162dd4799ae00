"""Block RAMs, multipliers and single-port RAMs of an iCE40 UltraPlus."""

from __future__ import annotations

from collections.abc import Iterator

from tilewright.fpga.decompile.fabric import Fabric, NotDecoded, Segment
from tilewright.fpga.decompile.icebox_database import icebox
from tilewright.fpga.decompile.logic_cells import level

_PAIRS = ("OUTPUT_SELECT", "ADDSUB_LOWERINPUT", "ADDSUB_CARRYSELECT")
_CONTROLS = (
    *("CLK", "CE", "IRSTTOP", "IRSTBOT", "ORSTTOP", "ORSTBOT", "AHOLD", "BHOLD", "CHOLD", "DHOLD", "OHOLDTOP"),
    *("OHOLDBOT", "ADDSUBTOP", "ADDSUBBOT", "OLOADTOP", "OLOADBOT", "CI"),
)


def block_rams(fabric: Fabric) -> Iterator[str]:
    """Verilog of all block RAMs that are in use, as cells of Yosys' library."""
    for x, y in sorted(fabric.chip.ramb_tiles):
        if not fabric.is_set(x, y, "RamConfig", "PowerUp"):
            continue
        if any(icebox().get_negclk_bit(fabric.chip.tile(x, row)) == "1" for row in (y, y + 1)):
            raise NotDecoded(f"the block RAM of tile {x}, {y} has a falling clock")

        def wire(name: str, otherwise: str, at: tuple[int, int] = (x, y)) -> str:
            """Of the tile, or of the one above."""
            nets = [fabric.net(at[0], row, f"ram/{name}") for row in (at[1], at[1] + 1)]
            return level(next((net for net in nets if net is not None), None), otherwise)

        modes = [fabric.is_set(x, y + 1, "RamConfig", f"CBIT_{bit}") for bit in range(4)]
        read, write = modes[2] + 2 * modes[3], modes[0] + 2 * modes[1]
        first = fabric.chip.ram_data.get((x, y), ["0" * 64] * 16)
        values = "".join(f", .INIT_{row:X}(256'h{words})" for row, words in enumerate(first))
        buses = ", ".join(
            f".{name}({{{', '.join(wire(f'{name}_{bit}', low) for bit in reversed(range(width)))}}})"
            for name, width, low in (
                ("WADDR", 11, "1'b0"),
                ("RADDR", 11, "1'b0"),
                ("MASK", 16, "1'b0"),
                ("WDATA", 16, "1'b0"),
            )
        )
        data = ", ".join(_ram_out(fabric, x, y, bit) for bit in reversed(range(16)))
        single = ", ".join(
            f".{name}({wire(name, high)})"
            for name, high in (
                ("WE", "1'b0"),
                ("WCLKE", "1'b1"),
                ("WCLK", "1'b0"),
                ("RE", "1'b0"),
                ("RCLKE", "1'b1"),
                ("RCLK", "1'b0"),
            )
        )
        yield f"SB_RAM40_4K #(.READ_MODE({read}), .WRITE_MODE({write}){values})"
        yield f"  ram_{x}_{y} ({buses}, .RDATA({{{data}}}), {single});"


def _ram_out(fabric: Fabric, x: int, y: int, bit: int) -> str:
    above = fabric.net(x, y + 1, f"ram/RDATA_{bit}")
    return f"n{fabric.driven(x, y, f'ram/RDATA_{bit}') if above is None else above}"


def multipliers(fabric: Fabric) -> Iterator[str]:
    """Verilog of all SB_MAC16 whose output is in use; cascades are not decoded."""
    chip = fabric.chip
    for x, y in sorted(chip.dsp_tiles[0]):
        nets = chip.get_dsp_nets_db(x, y)
        outputs = [nets[f"O_{bit}"] for bit in range(32)]
        if all(fabric.net(*segment) is None for segment in outputs):
            continue
        bits = {
            name: fabric.is_set(at[0], at[1], "IpConfig", at[2]) for name, at in chip.get_dsp_config_db(x, y).items()
        }
        told = [f".NEG_TRIGGER(1'b{icebox().get_negclk_bit(chip.tile(x, y + 2))})"]
        for name in (f"{half}{pair}" for half in ("TOP", "BOT") for pair in _PAIRS):
            high, low = (int(bits.pop(f"{name}_{bit}")) for bit in (1, 0))
            told.append(f".{name}(2'b{high}{low})")
        told += [f".{name}(1'b{int(value)})" for name, value in sorted(bits.items())]
        ports = [f".{name}({level(fabric.net(*nets[name]), _rest(name))})" for name in _CONTROLS]
        for bus in "ABCD":
            wires = (level(fabric.net(*nets[f"{bus}_{bit}"]), "1'b0") for bit in reversed(range(16)))
            ports.append(f".{bus}({{{', '.join(wires)}}})")
        ports.append(f".O({{{', '.join(_out(fabric, segment) for segment in reversed(outputs))}}})")
        if fabric.net(*nets["CO"]) is not None:
            ports.append(f".CO({_out(fabric, nets['CO'])})")
        yield f"SB_MAC16 #({', '.join(told)})"
        yield f"  dsp_{x}_{y} ({', '.join(ports)}, .ACCUMCI(1'b0), .SIGNEXTIN(1'b0));"


def _rest(control: str) -> str:
    return "1'b1" if control == "CE" else "1'b0"


def single_port_rams(fabric: Fabric) -> Iterator[str]:
    """Verilog of all SB_SPRAM256KA that are enabled."""
    for place, wires in sorted(icebox().spram_db["5k"].items()):
        x, y, enabled = wires["SPRAM_EN"]
        if not fabric.is_set(x, y, "IpConfig", enabled):
            continue
        ports = [
            f".{bus}({{{', '.join(level(fabric.net(*wires[f'{bus}_{bit}']), low) for bit in reversed(range(width)))}}})"
            for bus, width, low in (("ADDRESS", 14, "1'b0"), ("DATAIN", 16, "1'b0"), ("MASKWREN", 4, "1'b0"))
        ]
        ports.append(f".DATAOUT({{{', '.join(_out(fabric, wires[f'DATAOUT_{bit}']) for bit in reversed(range(16)))}}})")
        ports += [
            f".{name}({level(fabric.net(*wires[name]), low)})"
            for name, low in (
                ("WREN", "1'b0"),
                ("CHIPSELECT", "1'b0"),
                ("CLOCK", "1'b0"),
                ("STANDBY", "1'b0"),
                ("SLEEP", "1'b0"),
                ("POWEROFF", "1'b0"),
            )
        ]
        yield f"SB_SPRAM256KA spram_{'_'.join(map(str, place))} ({', '.join(ports)});"


def _out(fabric: Fabric, segment: Segment) -> str:
    return f"n{fabric.driven(*segment)}"
