"""A small design with the ports of a board, that has one of everything: tables, carries, memory, a multiplier."""

from __future__ import annotations

from tilewright.fpga.tops.board_design import BoardDesign

TOP = "tiny"
_INFERRED = """
module times (input wire clk, input wire signed [7:0] a, input wire signed [7:0] b, output reg [15:0] product);
  initial product = 0;
  always @(posedge clk) product <= a * b;
endmodule
"""
_ICE40 = """
module times (input wire clk, input wire [7:0] a, input wire [7:0] b, output wire [15:0] product);
  wire [31:0] both;
  assign product = both[31:16];
  SB_MAC16 #(
    .MODE_8x8(1'b1), .A_SIGNED(1'b1), .B_SIGNED(1'b1), .TOP_8x8_MULT_REG(1'b1), .BOT_8x8_MULT_REG(1'b1),
    .TOPOUTPUT_SELECT(2'd2), .BOTOUTPUT_SELECT(2'd2)
  ) unit (.CLK(clk), .CE(1'b1), .A({a, b}), .B({b, a}), .O(both));
endmodule
"""
TEXT = f"""{_INFERRED}
// Products of bytes that are shifted in from rx, which go through a memory and are summed; tx is a bit of the sum.
module tiny (input wire clk, input wire rx, output wire tx);
  reg [15:0] shift = 0;
  wire [15:0] product;
  reg [19:0] sum = 0;
  reg [8:0] place = 0;
  reg [15:0] kept [0:511];
  reg [15:0] read = 0;
  integer i;
  initial for (i = 0; i < 512; i = i + 1) kept[i] = 0;
  always @(posedge clk) begin
    shift <= {{shift[14:0], rx}};
    place <= place + 1;
    if (rx) kept[place] <= product;
    read <= kept[place ^ {{8'd0, shift[3]}}];
    if (shift[5] & ~rx) sum <= sum + read;
  end
  times unit (.clk(clk), .a(shift[15:8]), .b(shift[7:0]), .product(product));
  assign tx = ^{{sum[19], sum[3:0], read[15], read[1:0]}};
endmodule
"""
ICE40 = TEXT.replace(_INFERRED, _ICE40)
"""The same with the multiplier instantiated, as no tool infers one there."""


def tiny(text: str = TEXT) -> BoardDesign:
    """As something to build."""
    return BoardDesign({"tiny.v": text}, TOP)
