// The multiplier of iCE40 UltraPlus, for simulation only; synthesis takes the cell as it is.
// With MODE_8x8 = 1 and TOPOUTPUT_SELECT = BOTOUTPUT_SELECT = 2 it is two multipliers: the upper half of O is the product
// of the upper bytes of A and B, the lower half that of the lower ones, signed where A_SIGNED, B_SIGNED say so. There is
// a register at A where A_REG is 1, which takes its value where AHOLD is low, and behind each multiplier where
// TOP_8x8_MULT_REG, BOT_8x8_MULT_REG are 1. Registers move on CLK where CE is high, and are 0 at once while IRSTTOP (that
// at A, that of the upper half), IRSTBOT (that of the lower half) is high. They start from 0.
// Not modelled: all else that the cell can be; the pins of that must be 0.

module SB_MAC16 (
  input  wire CLK, CE, IRSTTOP, IRSTBOT,
  input  wire AHOLD, BHOLD, CHOLD, DHOLD, ORSTTOP, ORSTBOT, OLOADTOP, OLOADBOT, ADDSUBTOP, ADDSUBBOT,
  input  wire OHOLDTOP, OHOLDBOT, CI, ACCUMCI, SIGNEXTIN,
  input  wire [15:0] A, B, C, D,
  output wire [31:0] O
);
  parameter [0:0] MODE_8x8 = 1'b1;
  parameter [0:0] A_SIGNED = 1'b0;
  parameter [0:0] B_SIGNED = 1'b0;
  parameter [0:0] A_REG = 1'b0;
  parameter [0:0] TOP_8x8_MULT_REG = 1'b0;
  parameter [0:0] BOT_8x8_MULT_REG = 1'b0;
  parameter [1:0] TOPOUTPUT_SELECT = 2'd2;
  parameter [1:0] BOTOUTPUT_SELECT = 2'd2;

  reg [15:0] a_q, top_q, bottom_q;
  wire in_use = |{
    BHOLD, CHOLD, DHOLD, ORSTTOP, ORSTBOT, OLOADTOP, OLOADBOT, ADDSUBTOP, ADDSUBBOT, OHOLDTOP, OHOLDBOT, CI,
    ACCUMCI, SIGNEXTIN, C, D
  };
  wire is_modelled = MODE_8x8 == 1'b1 && TOPOUTPUT_SELECT == 2'd2 && BOTOUTPUT_SELECT == 2'd2 && !in_use;
  wire [15:0] a = A_REG[0] ? a_q : A;
  wire [15:0] top = {{8{A_SIGNED[0] & a[15]}}, a[15:8]} * {{8{B_SIGNED[0] & B[15]}}, B[15:8]};
  wire [15:0] bottom = {{8{A_SIGNED[0] & a[7]}}, a[7:0]} * {{8{B_SIGNED[0] & B[7]}}, B[7:0]};
  initial begin
    a_q = 16'd0;
    top_q = 16'd0;
    bottom_q = 16'd0;
  end

  always @(posedge CLK or posedge IRSTTOP)
    if (IRSTTOP) begin
      a_q <= 16'd0;
      top_q <= 16'd0;
    end else if (CE) begin
      if (!AHOLD) a_q <= A;
      top_q <= top;
    end

  always @(posedge CLK or posedge IRSTBOT)
    if (IRSTBOT) bottom_q <= 16'd0;
    else if (CE) bottom_q <= bottom;

  wire [31:0] found = {TOP_8x8_MULT_REG[0] ? top_q : top, BOT_8x8_MULT_REG[0] ? bottom_q : bottom};
  assign O = is_modelled ? found : 32'bx;
endmodule
