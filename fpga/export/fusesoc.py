"""For FuseSoC: a core file (CAPI2) with targets to lint, to simulate, and of a core to build it for a board."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tilewright.fpga.boards.baud import divisor_of
from tilewright.fpga.boards.known import board
from tilewright.fpga.export.product import Product
from tilewright.fpga.export.registers_bench import registers_bench
from tilewright.fpga.flow.flows import flow_of
from tilewright.fpga.tops.beat_limit import MOST_BEAT, widest_beat
from tilewright.fpga.tops.board_design import board_design

BOARD = "ulx3s"
"""The board that a core is built for behind its link: FuseSoC's tools have a flow for its family."""

_LINT = ("-Wall", "-Wno-DECLFILENAME")  # one file holds all modules of a design


def fusesoc(product: Product) -> dict[str, str]:
    """File name to text."""
    bench = f"tb_{product.top}.v"
    files = {product.source: product.files[product.source]}
    if product.is_engine:
        files[bench] = registers_bench(product)
        return {**files, f"{product.top}.core": _core_file(product, bench, (), {})}
    vectors = {name: text for name, text in product.files.items() if name.startswith("vectors/")}
    files |= {bench: product.files[bench]} | vectors
    on_board = _board_files(product)
    return {**files, **on_board, f"{product.top}.core": _core_file(product, bench, vectors, on_board)}


def _board_files(product: Product) -> dict[str, str]:
    """Link and top level of the board, and its constraints; nothing where the core is too wide for a link."""
    if widest_beat(product.config)[0] > MOST_BEAT:
        return {}
    chosen = board(BOARD)
    design = board_design(product.config, divisor_of(chosen.clock_hz, chosen.baud))
    added = {name: text for name, text in design.files.items() if name != product.source}
    return added | flow_of(chosen.part.family).files(chosen, design.top)


def _core_file(product: Product, bench: str, vectors: Iterable[str], on_board: Mapping[str, str]) -> str:
    top = product.top
    sets = [
        _fileset("rtl", [product.source], "verilogSource-2005"),
        _fileset("bench", [bench], "systemVerilogSource", vectors),
    ]
    lint = [f"verilator_options: [{', '.join(_LINT)}]"]
    binary = ["mode: binary", f"verilator_options: [--timing, -CFLAGS, -std=c++20, {', '.join(_LINT)}]"]
    targets = [
        _target("default", ["rtl"], top, []),
        _target("lint", ["rtl"], top, ["lint", "tool: verilator", *lint]),
        _target("sim", ["rtl", "bench"], f"tb_{top}", ["sim", "tool: verilator", *binary]),
        _target("sim_icarus", ["rtl", "bench"], f"tb_{top}", ["sim", "tool: icarus", "iverilog_options: [-g2005-sv]"]),
    ]
    if on_board:
        verilog = [name for name in on_board if name.endswith(".v")]
        constraints = next(name for name in on_board if name.endswith(".lpf"))
        part = board(BOARD).part
        options = f"nextpnr_options: [--{part.device}, --package, {part.package}, --speed, '{part.speed}']"
        sets.append(_fileset("board", verilog, "verilogSource-2005", [f"{constraints}: {{file_type: LPF}}"]))
        board_top = verilog[0].removesuffix(".v")
        targets.append(
            _target(BOARD, ["rtl", "board"], board_top, ["trellis", options, "ecppack_options: [--compress]"])
        )
    return (
        f"CAPI=2:\n# Made by: {product.command}\n"
        f'name: "tilewright:ip:{top}:{product.version}"\n'
        f'description: "GEMM {"engine" if product.is_engine else "core"}"\n\n'
        f"filesets:\n{''.join(sets)}\ntargets:\n{''.join(targets)}"
    )


def _fileset(name: str, files: Iterable[str], kind: str, others: Iterable[str] = ()) -> str:
    """``others``: vectors, which benches read in the folder ``vectors``, or files with a type of their own."""
    told = [entry if ":" in entry else f"{entry}: {{file_type: user, copyto: {entry}}}" for entry in others]
    lines = "".join(f"      - {entry}\n" for entry in (*files, *told))
    return f"  {name}:\n    files:\n{lines}    file_type: {kind}\n"


def _target(name: str, filesets: Iterable[str], top: str, flow: list[str]) -> str:
    """``flow``: its name, and its options."""
    text = f"  {name}:\n    filesets: [{', '.join(filesets)}]\n    toplevel: {top}\n"
    if flow:
        options = "".join(f"      {option}\n" for option in flow[1:])
        text += f"    flow: {flow[0]}\n    flow_options:\n{options}"
    return text
