"""No path without a register leads through a block, in either direction: a property of the netlist."""

from pathlib import Path

import pytest
from amaranth.back import rtlil

from tilewright.generators.emit.yosys import run
from tilewright.hdl.memory.address_generator import AddressGenerator
from tilewright.hdl.stream import (
    Buffer,
    Fork,
    Join,
    Narrow,
    PriorityMux,
    Queue,
    RoundRobinMux,
    SelectMux,
    Watched,
    Widen,
)
from tilewright.hdl.structure import Block
from tilewright.sim_tests.hdl.stream.bench import BEAT
from tilewright.sim_tests.hdl.stream.faulty import Faulty

BLOCKS = [
    Buffer(5),
    Queue("q", 5, 4),
    Fork(5, 3),
    Join({"a": 2, "b": 3}),
    RoundRobinMux(BEAT, 3),
    PriorityMux(5, 3),
    SelectMux(BEAT, 3),
    Widen(2, 4, 3),
    Narrow(2, 4, 3),
    AddressGenerator(3, 8, 4),
]


def inputs_behind_outputs(block: Block, folder: Path) -> set[str]:
    """Inputs of ``block`` that one of its outputs depends on without a register in between."""
    source, found = folder / "block.il", folder / "found"
    source.write_text(rtlil.convert(block, name="block", emit_src=False))
    run(
        [
            f"read_rtlil {source}",
            *("proc", "flatten", "memory", "opt -full"),
            # From the outputs back along the wires, through every cell that is no register, as far as inputs.
            f"tee -q -o {found} select -list o:* %ci*:-$dff,$dffe,$sdff,$sdffe,$sdffce i:* %i i:clk %d i:rst %d",
        ]
    )
    return {name.removeprefix("block/") for name in found.read_text().split()}


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.name)
def test_streams(block: Block, tmp_path: Path) -> None:
    assert inputs_behind_outputs(block, tmp_path) == set()


def test_paths_are_found(tmp_path: Path) -> None:
    assert inputs_behind_outputs(Faulty(BEAT), tmp_path) == {"i__payload", "i__valid", "o__ready"}
    assert inputs_behind_outputs(Watched(Buffer(4)), tmp_path) == {"i__payload", "i__valid"}
