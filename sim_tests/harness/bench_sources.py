"""Writes the two generated files of a build: a Verilog wrapper with uniform ports and the C++ that binds them.

The wrapper turns every beat into one vector of at least 65 bits, which Verilator always stores as an array of 32-bit
words; so the driver copies words and never needs to know a width, and no port name has to survive C++.
"""

from __future__ import annotations

from tilewright.sim_tests.harness.ports import Interface, Port, StreamPort

#: Name of the wrapper module.
BENCH = "tilewright_bench"


def _vector(bits: int) -> int:
    """Width of the wrapper's port: whole words, never stored as a scalar."""
    return max(96, (bits + 31) // 32 * 32)


def _zeros(name: str, bits: int) -> list[str]:
    """Ties the bits of an output that the design does not drive."""
    return [f"assign {name}[{_vector(bits) - 1}:{bits}] = 0;"] if bits < _vector(bits) else []


def _stream(index: int, stream: StreamPort) -> tuple[list[str], list[str], list[str]]:
    """Ports, connections and statements of one stream."""
    inward, name = stream.direction == "in", f"s{index}"
    ports = [f"{'input' if inward else 'output'} wire [{_vector(stream.bits) - 1}:0] {name}_payload"]
    connections, statements, offset = [], [], 0
    for port, width in stream.signals:
        connections.append(f".{port}({name}_payload[{offset + width - 1}:{offset}])")
        offset += width
    if not inward:
        statements += _zeros(f"{name}_payload", offset)
    for handshake, wire, toward in ((stream.valid, "valid", inward), (stream.ready, "ready", not inward)):
        if handshake:
            ports.append(f"{'input' if toward else 'output'} wire {name}_{wire}")
            connections.append(f".{handshake}({name}_{wire})")
    return ports, connections, statements


def _plain(name: str, port: Port, direction: str) -> tuple[list[str], list[str], list[str]]:
    statements = _zeros(name, port[1]) if direction == "output" else []
    return [f"{direction} wire [{_vector(port[1]) - 1}:0] {name}"], [f".{port[0]}({name}[{port[1] - 1}:0])"], statements


def _plains(interface: Interface) -> list[tuple[str, Port, str]]:
    """Wire name, port and kind of every plain port, in the order of the run script."""
    groups = (("constant", interface.inputs), ("sampled", interface.outputs), ("must_stay_zero", interface.zeros))
    found = [(port, kind) for kind, ports in groups for port in ports]
    return [(f"p{index}", port, kind) for index, (port, kind) in enumerate(found)]


def wrapper(interface: Interface) -> str:
    """Verilog of the wrapper. ``cycle`` has no function: it shows the cycle number in waveforms."""
    ports = ["input wire clk", "input wire rst", "input wire [63:0] cycle"]
    reset = "!rst" if interface.reset_active_low else "rst"
    connections = [f".{interface.clock}(clk)", *([f".{interface.reset}({reset})"] if interface.reset else [])]
    statements: list[str] = []
    parts = [_stream(index, stream) for index, stream in enumerate(interface.streams)]
    parts += [_plain(w, p, "input" if kind == "constant" else "output") for w, p, kind in _plains(interface)]
    for part in parts:
        ports += part[0]
        connections += part[1]
        statements += part[2]
    lines = [f"module {BENCH} (", ",\n".join(f"  {port}" for port in ports), ");"]
    lines += [f"  {interface.top} dut (", ",\n".join(f"    {c}" for c in connections), "  );"]
    return "\n".join([*lines, *(f"  {statement}" for statement in statements), "endmodule", ""])


def binding(interface: Interface) -> str:
    """C++ that makes the driver's ``Design`` out of Verilator's class ``Vtop``."""
    lines = []
    for index, stream in enumerate(interface.streams):
        valid = f"&top_.s{index}_valid" if stream.valid else "nullptr"
        ready = f"&top_.s{index}_ready" if stream.ready else "nullptr"
        inward = "true" if stream.direction == "in" else "false"
        lines.append(
            f"streams.push_back({{{inward}, {stream.words}, top_.s{index}_payload.data(), {valid}, {ready}}});"
        )
    for wire, port, kind in _plains(interface):
        lines.append(f"plains.push_back({{PlainKind::{kind}, {(port[1] + 31) // 32}, top_.{wire}.data()}});")
    return _BINDING.replace("@ID@", str(interface.identity)).replace("@WIRES@", "\n        ".join(lines))


_BINDING = """\
#include "Vtop.h"
#include "design.h"
#include "verilated.h"
#if VM_TRACE
#include "verilated_vcd_c.h"
#endif

namespace {
VerilatedContext* seeded(VerilatedContext* context, int seed) {
    context->randReset(2);
    context->randSeed(seed);
    return context;
}

class Compiled final : public Design {
public:
    explicit Compiled(int seed) : top_(seeded(&context_, seed), "") {
        interface_id = @ID@ull;
        clock = &top_.clk;
        reset = &top_.rst;
        @WIRES@
    }
    ~Compiled() override {
#if VM_TRACE
        if (trace_.isOpen()) trace_.close();
#endif
        top_.final();
    }
    void evaluate() override { top_.eval(); }
    bool finished() const override { return context_.gotFinish(); }
#if VM_TRACE
    bool open_trace(const char* file) override {
        context_.traceEverOn(true);
        top_.trace(&trace_, 99);
        trace_.open(file);
        return trace_.isOpen();
    }
    void trace(uint64_t time, int64_t cycle) override {
        top_.cycle = static_cast<QData>(cycle);
        trace_.dump(time);
    }
#else
    bool open_trace(const char*) override { return false; }
    void trace(uint64_t, int64_t) override {}
#endif

private:
    VerilatedContext context_;
    Vtop top_;
#if VM_TRACE
    VerilatedVcdC trace_;
#endif
};
}  // namespace

Design* make_design(int seed) { return new Compiled(seed); }
"""
