"""Faults written into an engine's Verilog, all in one simulator, one of them awake at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace

from tilewright.sim_tests.harness import make
from tilewright.sim_tests.system.engine_designs import EngineDesign, gate_engines

DESIGN = "ws_4x4"
_MODULE = re.compile(r"^module (?P<name>\w+) .*?^endmodule$", re.MULTILINE | re.DOTALL)
# Which fault is awake is read from the environment once, when the simulation starts.
_AWAKE = r"std::getenv(\"TILEWRIGHT_MUTANT\")"
_CHOICE = f"""
  reg [31:0] planted_number;
  wire [7:0] planted = planted_number[7:0];
  initial planted_number = $c32("({_AWAKE} ? std::atoi({_AWAKE}) : 0)");
"""


@dataclass(frozen=True)
class EngineMutant:
    """In modules whose name, after the design's, matches ``module`` the expression ``right`` becomes ``wrong``.

    ``around`` is what stands around it, where there is more than one like it.
    """

    module: str
    right: str
    wrong: str
    what: str
    around: str = "@"


MUTANTS = (
    EngineMutant("bursts_.*", "to_page", "10'd32", "bursts cross pages", "? @ :"),
    EngineMutant("write_answers_.*", "b_payload_resp > before_", "b_payload_resp == 2'd3", "SLVERR of writes is lost"),
    EngineMutant("read_cut_.*", "(|r_payload_resp)", "r_payload_resp[0]", "SLVERR of reads is lost"),
    EngineMutant("fetch_.*", "memory__r__payload[129]", "1'b0", "errors of fetches are lost", "__r__valid & @;"),
    EngineMutant("supervisor", "stuck & ~told", "1'b0", "a memory that is silent for ever is not told"),
    EngineMutant("supervisor", "progress | stuck | start", "stuck | start", "the watchdog sees no progress"),
    EngineMutant("supervisor", "over & quiet & at_rest", "over & at_rest", "a run ends when its program has been read"),
    EngineMutant("counters", "happened[11]", "happened[10]", "beats read are counted as written"),
    EngineMutant("counters", "happened[9]", "happened[4]", "busy is taken for active"),
    EngineMutant("registers", "(&port_write_strobes)", "1'b1", "the window takes parts of words"),
    EngineMutant("registers", "window_written & ~window__valid", "window_written", "a full window takes words"),
    EngineMutant("lite_port_.*", "register & register_2", "register_2", "W alone writes", "write = @ &"),
    EngineMutant("box_walk_.*", "columns_left <= line_left", "columns_left < line_left", "a row ends too late"),
    EngineMutant("box_walk_.*", "out_y_wraps", "1'b0", "pictures follow each other as lines do", "= @ ?"),
    EngineMutant("box_walk_.*", "{12'd0, current_order_tensor_y_out_step}", "20'd1", "lines are not skipped"),
    EngineMutant("joining_.*", "joins", "1'b0", "runs that are joined forget their start", "(@ ? kept_span_address"),
    EngineMutant("placing_16to16", "turn[3]", "1'b0", "bytes go 8 places astray"),
    EngineMutant("packer_16to4x8in1.*", "4'd2", "4'd3", "a lane is taken twice", "i_payload_position <= @;"),
    EngineMutant("load_sequencer", "~ends_at_once", "1'b1", "tokens of a load are lost", "pending_a_o__valid & @"),
    EngineMutant("store_sequencer", "current[67]", "1'b0", "stores come from region 0", "7'd0, @,"),
    EngineMutant("compute_sequencer", "8'd1", "8'd2", "a refusal is lost", "completion_payload_status > @)"),
    EngineMutant("dispatch", "i__valid", "1'b0", "what is illegal is dropped", "assign illegal = @ &"),
    EngineMutant("finish_4_.*channels.*", "columns_left <= 16'd4", "columns_left < 16'd4", "channels go astray"),
    EngineMutant("channel_memory_.*", "taken & inside_", "1'b0", "half of all channels are lost", "enable[1] = @"),
    EngineMutant("table_lane_int8", "entries_read_data[15:8]", "entries_read_data[7:0]", "an entry is its neighbour"),
    EngineMutant("transposer_.*", "reading ? rows_1 : rows_0", "rows_0", "a block has the rows of the one before"),
    EngineMutant("transposer_.*", "panel[1:0]", "2'd0", "columns of a block are taken for its first ones"),
    EngineMutant("tokens", "~(|load_missing)", "1'b1", "loads do not wait for tokens", "load_wants & @;"),
    EngineMutant("tokens", "(|(compute_waits & load_waits))", "1'b0", "two take one token"),
    EngineMutant("pins", "m_axi_w_payload_strb", "{16{1'b1}}", "whole beats are written", "m_axi_wstrb = @;"),
    EngineMutant("pins", "m_axi_w_payload_last", "1'b1", "every beat is the last", "m_axi_wlast = @;"),
)


def planted(sources: Mapping[str, str], prefix: str) -> dict[str, str]:
    """``sources`` with all faults asleep. Raises ValueError for a fault that has no place there."""
    missing = set(MUTANTS)

    def with_faults(module: re.Match[str]) -> str:
        name, text = module["name"], module[0]
        for number, mutant in enumerate(MUTANTS, 1):
            right = mutant.around.replace("@", mutant.right)
            if re.fullmatch(f"{prefix}_({mutant.module})", name) and right in text:
                chosen = mutant.around.replace("@", f"(planted == 8'd{number} ? {mutant.wrong} : {mutant.right})")
                text = _with_choice(text).replace(right, chosen, 1)
                missing.discard(mutant)
        return text

    changed = {name: _MODULE.sub(with_faults, text) for name, text in sources.items()}
    for mutant in MUTANTS:
        if mutant in missing:
            raise ValueError(f"no module {mutant.module} has {mutant.right!r} as in {mutant.around!r}: {mutant.what}")
    return changed


def _with_choice(module: str) -> str:
    if _CHOICE in module:
        return module
    head, end, body = module.partition("\n);\n")
    assert end, "a module begins with its ports"
    return head + end + _CHOICE + body


def mutated() -> EngineDesign:
    """The engine with all faults asleep."""
    sound = gate_engines()[DESIGN]
    spec = sound.build.spec
    design = replace(sound)
    sources = planted(spec.sources, sound.config.module_name)
    vars(design)["build"] = make(replace(spec, sources=sources))
    return design


@contextmanager
def standing_in(design: EngineDesign) -> Iterator[None]:
    """While this lasts, the tests of the gate take ``design`` for the sound engine."""
    engines = gate_engines()
    sound = engines[DESIGN]
    engines[DESIGN] = design
    try:
        yield
    finally:
        engines[DESIGN] = sound
