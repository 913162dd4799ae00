"""Verilator's warnings, as a list."""

from tilewright.sim_tests.harness.lint import lint
from tilewright.sim_tests.harness_tests.designs import buffer

UNUSED = "module top (input clk, input a, output reg b); always @(posedge clk) b <= 1; endmodule\n"


def test_a_clean_design_has_no_diagnostics() -> None:
    assert lint({"buffer.v": buffer()["buffer.v"].lstrip()}, "buffer") == []


def test_each_warning_is_a_line() -> None:
    found = lint({"top.v": UNUSED}, "top")
    assert [line.partition(":")[0] for line in found] == ["%Warning-UNUSEDSIGNAL"]
    assert "top.v:1" in found[0]
    short = "module top (input [3:0] a, output [7:0] b); assign b = a; endmodule"
    assert [line.partition(":")[0] for line in lint({"top.v": short}, "top")][-1] == "%Warning-WIDTHEXPAND"


def test_waivers() -> None:
    assert lint({"top.v": UNUSED}, "top", waivers='lint_off -rule UNUSEDSIGNAL -file "*top.v" -match "*\'a\'*"') == []
    assert lint({"top.v": UNUSED}, "top", waivers='lint_off -rule UNUSEDSIGNAL -file "*top.v" -match "*\'b\'*"')


def test_errors_are_diagnostics_too() -> None:
    assert any(line.startswith("%Error") for line in lint({"top.v": "module top (input a"}, "top"))
