"""The core between AXI4-Streams is the core: the bench of its output runs on it, through an adapter of this file."""

from __future__ import annotations

from pathlib import Path

from tilewright.fpga.export.axi_streams import AxiStream, axi_streams
from tilewright.fpga.export.axis_core import axis_core, axis_name, axis_ports
from tilewright.fpga.export.product import Product
from tilewright.generators.emit.module import Port, head
from tilewright.sim_tests.fpga.export.products import core
from tilewright.sim_tests.generators.emit.outputs import run_verilog, write
from tilewright.sim_tests.harness.lint import lint

JUNK = 0xA5C3
"""What stands in the bits of a container that are above the value."""


def adapter(product: Product) -> str:
    """A module with the core's own ports around the one with AXI4-Streams, value by value."""
    name, ports = f"{product.top}_adapted", [Port(port.name, port.direction, port.width) for port in product.ports]
    pins, lines = [".aclk(clk)", ".aresetn(~rst)"], []
    for stream in axi_streams(product):
        inner, outer = stream.name, stream.bus
        pins += [f".{outer}_tvalid({inner}_tvalid)", f".{outer}_tready({inner}_tready)"]
        if not stream.rows:
            pins.append(f".{outer}_tdata({inner}_tdata)")
            continue
        lines.append(f"  wire [{8 * stream.bytes - 1}:0] {inner}_wide;\n  wire [{stream.bytes - 1}:0] {inner}_bytes;")
        lines += [text for lane in range(stream.lanes) for text in (value(stream, lane), kept(stream, lane))]
        pins += [f".{outer}_tdata({inner}_wide)", f".{outer}_tkeep({inner}_bytes)", f".{outer}_tlast({inner}_tlast)"]
    text = "\n".join(lines)
    return f"{head(name, ports)}{text}\n  {axis_name(product)} inner ({', '.join(pins)});\nendmodule\n"


def value(stream: AxiStream, lane: int) -> str:
    low, wide = lane * stream.bits, 8 * lane * stream.container
    narrow = f"{stream.name}_tdata[{low + stream.bits - 1}:{low}]"
    whole = f"{stream.name}_wide[{wide + 8 * stream.container - 1}:{wide}]"
    above = 8 * stream.container - stream.bits
    if not stream.inward:
        sign, high = (f"{stream.name}_wide[{wide + stream.bits - 1}]", 8 * stream.container + wide - 1)
        extended = f"{{{above}{{{sign}}}}} == {stream.name}_wide[{high}:{wide + stream.bits}]"
        found = f"{stream.name}_wide[{wide + stream.bits - 1}:{wide}]"
        return f"  assign {narrow} = {extended} ? {found} : {stream.bits}'bx;"
    return f"  assign {whole} = {{{above}'d{JUNK % (1 << above)}, {narrow}}};"


def kept(stream: AxiStream, lane: int) -> str:
    place = f"{stream.name}_bytes[{(lane + 1) * stream.container - 1}:{lane * stream.container}]"
    if stream.inward:
        return f"  assign {place} = {{{stream.container}{{{stream.name}_tkeep[{lane}]}}}};"
    return f"  assign {stream.name}_tkeep[{lane}] = &{place} ? 1'b1 : |{place} ? 1'bx : 1'b0;"


def test_linters_find_nothing() -> None:
    product = core()
    sources = {product.source: product.files[product.source], f"{axis_name(product)}.v": axis_core(product)}
    assert [line for line in lint(sources, axis_name(product)) if "DECLFILENAME" not in line] == []


def test_ports_are_whole_bytes_and_go_both_ways() -> None:
    text, ports = axis_core(core()), axis_ports(core())
    for port in ports:
        assert f"{port.direction:6} wire" in next(
            line for line in text.splitlines() if line.rstrip(",").endswith(f" {port.name}")
        )
        assert not port.name.endswith("_tdata") or port.width % 8 == 0
    widths = {port.name: port.width for port in ports}
    assert (widths["s_axis_load_b_beats_tdata"], widths["s_axis_load_b_beats_tkeep"]) == (3 * 16, 3 * 2)
    assert (widths["m_axis_read_c_beats_tdata"], widths["m_axis_completion_tkeep"]) == (3 * 32, 2)


def test_the_bench_of_the_core_passes_on_it(tmp_path: Path) -> None:
    product = core()
    bench = f"tb_{product.top}.v"
    changed = product.files[bench].replace(f"  {product.top} ", f"  {product.top}_adapted ")
    assert changed != product.files[bench]
    more = f"{product.files[product.source]}\n{axis_core(product)}\n{adapter(product)}"
    write({**product.files, product.source: more, bench: changed}, tmp_path)
    code, said = run_verilog(tmp_path, product.top)
    assert code == 0 and "PASS" in said, said
    wrong = more.replace("[12*lane +: 12] = s_axis", "[12*lane +: 12] = ~s_axis")
    write({product.source: wrong}, tmp_path)
    assert run_verilog(tmp_path, product.top)[0] != 0, "the bench sees a wrong wire"
