"""A small design with AXI ports that moves bursts through a buffer, and can misbehave in many ways."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilewright.sim_tests.harness import Build, build
from tilewright.sim_tests.harness.axi_memory import AxiMemory
from tilewright.sim_tests.harness.axi_ports import axi_lite_ports, axi_ports
from tilewright.sim_tests.harness.axi_session import AxiSession

# Registers.
CONTROL = 0x00  # write: 1 starts, 2 clears the interrupt; read: busy, interrupt, worst rresp (2), worst bresp (2)
SOURCE = 0x04
TARGET = 0x08
BURSTS = 0x0C
SHAPE = 0x10  # length - 1, size << 8, burst type << 12
STEP = 0x14  # bytes from burst to burst
FAULT = 0x18
PARTS = 0x1C  # 1: no reads, 2: no writes
READ_LATENCY = 0x20  # read only, measured: first AR accepted to first R accepted
WRITE_LATENCY = 0x24  # last W accepted to first B accepted
STARTED = 0x28  # edge at which the data of the last write to CONTROL were accepted
RAISED = 0x2C  # edge before which the interrupt rose

# Values of FAULT.
AR_WITHDRAWN = 1
AR_CHANGES = 2
EARLY_LAST = 3
NO_LAST = 4
ALL_STROBES = 5
AR_WAITS_FOR_READY = 6
W_WAITS_FOR_AW = 7
FINISHES = 8
NOT_ZERO = 9
LITE_EXOKAY = 10
NEVER_READY = 11
AW_WAITS_FOR_W = 12
HALF_READY = 13  # takes R in every other cycle: no fault, but slow
SPARSE_STROBES = 14  # writes bytes 0, 2, 4, 6 only: no fault

MOVER = """
module mover (
  input aclk, input aresetn, output irq, output protocol_error, input [6:0] start_value,
  input [7:0] s_axi_awaddr, input [2:0] s_axi_awprot, input s_axi_awvalid, output s_axi_awready,
  input [31:0] s_axi_wdata, input [3:0] s_axi_wstrb, input s_axi_wvalid, output s_axi_wready,
  output [1:0] s_axi_bresp, output s_axi_bvalid, input s_axi_bready,
  input [7:0] s_axi_araddr, input [2:0] s_axi_arprot, input s_axi_arvalid, output s_axi_arready,
  output [31:0] s_axi_rdata, output [1:0] s_axi_rresp, output s_axi_rvalid, input s_axi_rready,
  output [39:0] m_axi_araddr, output [7:0] m_axi_arlen, output [2:0] m_axi_arsize, output [1:0] m_axi_arburst,
  output [3:0] m_axi_arcache, output [2:0] m_axi_arprot, output m_axi_arvalid, input m_axi_arready,
  input [63:0] m_axi_rdata, input [1:0] m_axi_rresp, input m_axi_rlast, input m_axi_rvalid, output m_axi_rready,
  output [39:0] m_axi_awaddr, output [7:0] m_axi_awlen, output [2:0] m_axi_awsize, output [1:0] m_axi_awburst,
  output [3:0] m_axi_awcache, output [2:0] m_axi_awprot, output m_axi_awvalid, input m_axi_awready,
  output [63:0] m_axi_wdata, output [7:0] m_axi_wstrb, output m_axi_wlast, output m_axi_wvalid, input m_axi_wready,
  input [1:0] m_axi_bresp, input m_axi_bvalid, output m_axi_bready);

  reg [31:0] now; // edges since reset
  always @(posedge aclk) if (!aresetn) now <= 0; else now <= now + 1;

  // Registers.
  reg aw_full, w_full, b_full, r_full; reg [1:0] b_resp, r_resp;
  reg [7:0] aw_addr; reg [31:0] w_data, r_data; reg [3:0] w_strb;
  reg [31:0] w_edge;
  assign s_axi_awready = !aw_full; assign s_axi_wready = !w_full && fault != 11;
  assign s_axi_bvalid = b_full; assign s_axi_bresp = fault == 10 ? 2'd1 : b_resp;
  assign s_axi_arready = !r_full; assign s_axi_rvalid = r_full;
  assign s_axi_rdata = r_data; assign s_axi_rresp = r_resp;
  wire write = aw_full && w_full && !b_full;
  wire start = write && aw_addr == 0 && w_data[0];
  wire clear = write && aw_addr == 0 && w_data[1];
  reg [31:0] files [0:7];
  wire [31:0] source = files[1], target = files[2], bursts = files[3], shape = files[4], step = files[5];
  wire [31:0] fault = files[6], parts = files[7];
  wire [7:0] len = shape[7:0]; wire [2:0] size = shape[10:8]; wire [1:0] burst = shape[13:12];
  reg [31:0] read_latency, write_latency, started, raised;
  integer i;
  always @(posedge aclk)
    if (!aresetn) begin
      aw_full <= 0; w_full <= 0; b_full <= 0; r_full <= 0;
      for (i = 0; i < 8; i = i + 1) files[i] <= 0;
    end else begin
      if (s_axi_awvalid && s_axi_awready) begin aw_full <= 1; aw_addr <= s_axi_awaddr; end
      if (s_axi_wvalid && s_axi_wready) begin
        w_full <= 1; w_data <= s_axi_wdata; w_strb <= s_axi_wstrb; w_edge <= now;
      end
      if (write) begin
        aw_full <= 0; w_full <= 0; b_full <= 1; b_resp <= aw_addr < 8'h20 ? 2'd0 : 2'd2;
        if (aw_addr == 0) started <= w_edge;
        if (aw_addr < 8'h20) for (i = 0; i < 4; i = i + 1)
          if (w_strb[i]) files[aw_addr[4:2]][8*i +: 8] <= w_data[8*i +: 8];
      end
      if (b_full && s_axi_bready) b_full <= 0;
      if (s_axi_arvalid && s_axi_arready) begin
        r_full <= 1; r_resp <= s_axi_araddr < 8'h30 ? 2'd0 : 2'd3;
        case (s_axi_araddr)
          8'h00: r_data <= {19'd0, start_value, b_worst, r_worst, irq, busy};
          8'h20: r_data <= read_latency; 8'h24: r_data <= write_latency;
          8'h28: r_data <= started; 8'h2c: r_data <= raised;
          default: r_data <= files[s_axi_araddr[4:2]];
        endcase
      end else if (s_axi_rready) r_full <= 0;
      if (start && fault == 8) begin $display("enough"); $finish; end
    end

  // Moves: all bursts are read into the buffer, then all are written.
  reg busy, done, writing, irq_high, wrong; reg [1:0] r_worst, b_worst;
  assign irq = irq_high; assign protocol_error = wrong;
  reg [63:0] buffer [0:4095];
  reg [31:0] ar_left, r_left, aw_left, w_left, b_left; reg [31:0] ar_addr, aw_addr_out;
  reg [11:0] r_place, w_place; reg [7:0] w_beat; reg [31:0] w_base, w_at; reg [31:0] aw_lead;
  reg [31:0] first_ar, last_w; reg seen_ar, seen_r, seen_b, ar_blink;
  wire [31:0] beats = bursts * ({24'd0, len} + 32'd1);
  assign m_axi_arvalid = busy && ar_left != 0 && !(fault == 1 && ar_blink) && !(fault == 6 && !m_axi_arready);
  assign m_axi_araddr = {8'd0, ar_addr} + (fault == 2 && ar_blink ? 40'd8 : 40'd0);
  assign m_axi_arlen = len; assign m_axi_arsize = size; assign m_axi_arburst = burst;
  assign m_axi_arcache = 4'd3; assign m_axi_arprot = 0;
  assign m_axi_rready = busy && r_left != 0 && !(fault == 13 && now[0]);
  assign m_axi_awvalid = writing && aw_left != 0 && !(fault == 12 && w_left == beats);
  assign m_axi_awaddr = {8'd0, aw_addr_out};
  assign m_axi_awlen = len; assign m_axi_awsize = size; assign m_axi_awburst = burst;
  assign m_axi_awcache = 4'd3; assign m_axi_awprot = 0;
  assign m_axi_wvalid = writing && w_left != 0 && !(fault == 7 && aw_lead == 0);
  assign m_axi_wdata = buffer[w_place];
  wire [31:0] bytes = 32'd1 << size;
  wire [31:0] w_end = (w_at & ~(bytes - 1)) + bytes; // end of the lanes of this beat
  wire [7:0] above = 8'hff << w_at[2:0], below = 8'hff >> (3'd7 - (w_end[2:0] - 3'd1));
  assign m_axi_wstrb = fault == 5 ? 8'hff : above & below & (fault == 14 ? 8'h55 : 8'hff);
  assign m_axi_wlast = fault == 3 ? w_beat == 0 : fault != 4 && w_beat == len;
  assign m_axi_bready = writing && b_left != 0;
  wire [31:0] total = bytes * ({24'd0, len} + 32'd1);
  wire wraps = burst == 2 && ((w_at + bytes) & (total - 1)) == 0;
  wire [31:0] next = burst == 0 ? w_at : wraps ? w_at + bytes - total : w_end;
  wire ar = m_axi_arvalid && m_axi_arready, r = m_axi_rvalid && m_axi_rready;
  wire aw = m_axi_awvalid && m_axi_awready, w = m_axi_wvalid && m_axi_wready, b = m_axi_bvalid && m_axi_bready;
  always @(posedge aclk)
    if (!aresetn) begin
      busy <= 0; writing <= 0; irq_high <= 0; wrong <= 0; ar_left <= 0; r_left <= 0; aw_left <= 0; w_left <= 0;
      b_left <= 0; ar_blink <= 0; r_worst <= 0; b_worst <= 0;
    end else begin
      ar_blink <= m_axi_arvalid && !m_axi_arready;
      if (clear) irq_high <= 0;
      if (start) begin
        busy <= 1; ar_addr <= source; aw_addr_out <= target; w_base <= target; w_at <= target; w_beat <= 0;
        ar_left <= parts[0] ? 0 : bursts; r_left <= parts[0] ? 0 : beats; aw_left <= 0;
        r_place <= 0; w_place <= 0; seen_ar <= 0; seen_r <= 0; seen_b <= 0; aw_lead <= 0; r_worst <= 0; b_worst <= 0;
        if (fault == 9) wrong <= 1;
      end
      if (ar) begin ar_left <= ar_left - 1; ar_addr <= ar_addr + step; seen_ar <= 1; if (!seen_ar) first_ar <= now; end
      if (r) begin
        buffer[r_place] <= m_axi_rdata; r_place <= r_place + 1; r_left <= r_left - 1; seen_r <= 1;
        if (!seen_r) read_latency <= now - first_ar;
        if (m_axi_rresp > r_worst) r_worst <= m_axi_rresp;
      end
      if (busy && !writing && ar_left == 0 && r_left == 0) begin
        writing <= 1;
        if (!parts[1]) begin aw_left <= bursts; w_left <= beats; b_left <= bursts; end
      end
      aw_lead <= start ? 0 : aw_lead + (aw ? {24'd0, len} + 1 : 0) - (w ? 1 : 0);
      if (aw) begin aw_left <= aw_left - 1; aw_addr_out <= aw_addr_out + step; end
      if (w) begin
        w_left <= w_left - 1; w_place <= w_place + 1; last_w <= now; w_at <= next;
        if (w_beat == len) begin w_beat <= 0; w_base <= w_base + step; w_at <= w_base + step; end
        else w_beat <= w_beat + 1;
      end
      if (b) begin
        b_left <= b_left - 1; seen_b <= 1; if (!seen_b) write_latency <= now - last_w;
        if (m_axi_bresp > b_worst) b_worst <= m_axi_bresp;
      end
      if (writing && aw_left == 0 && w_left == 0 && b_left == 0) begin
        busy <= 0; writing <= 0; irq_high <= 1; raised <= now + 1;
      end
    end
endmodule
"""


def build_mover() -> Build:
    streams = (*axi_ports(address_bits=40, data_bits=64), *axi_lite_ports(address_bits=8))
    return build(
        *({"mover.v": MOVER}, "mover", streams),
        clock="aclk",
        reset="aresetn",
        reset_active_low=True,
        inputs=[("start_value", 7)],
        outputs=[("irq", 1)],
        zeros=[("protocol_error", 1)],
    )


def session(**settings: Any) -> AxiSession:
    """A session with the mover; the memory behaves as told, by default at once."""
    return AxiSession(build_mover(), settings=AxiMemory(**settings))


def set_up(
    s: AxiSession,
    *,
    source: int = 0,
    target: int = 0x8000,
    bursts: int = 1,
    length: int = 1,
    size: int = 3,
    burst: int = 1,
    step: int | None = None,
    fault: int = 0,
    parts: int = 0,
) -> None:
    """Set all registers for a move of ``bursts`` bursts."""
    shape = length - 1 | size << 8 | burst << 12
    step = length << size if step is None else step
    registers = {SOURCE: source, TARGET: target, BURSTS: bursts, SHAPE: shape, STEP: step, PARTS: parts, FAULT: fault}
    for register, value in registers.items():
        s.write(register, value)


def move(s: AxiSession, *, limit: int = 100_000, **registers: int) -> tuple[int, int]:
    """Move, and clear the interrupt; returns the edges of start and interrupt."""
    set_up(s, **registers)
    start = s.write(CONTROL, 1)
    end = s.wait_interrupt(limit)
    s.write(CONTROL, 2)
    s.run(1)
    return start, end


def noise(seed: int, size: int) -> NDArray[np.uint8]:
    """``size`` random bytes."""
    return np.random.default_rng(seed).integers(0, 256, size, dtype=np.uint8)
