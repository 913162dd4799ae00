// The multiplier of ECP5, for simulation only; synthesis takes the cell as it is.
// P = A * B, each signed where its SIGNED pin says so. There is a register at A, at B, in the middle of the multiplier
// and at P where its parameter REG_*_CLK is "CLK0"; it takes its value on CLK0 where the enable that REG_*_CE names is
// high, and 0 where the reset that REG_*_RST names is, which goes first. Registers start from 0.
// Not modelled: other clocks, asynchronous resets, factors from a neighbour (SOURCEA, SOURCEB must be 0), the port C.

module MULT18X18D (
  input  wire A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, A13, A14, A15, A16, A17,
  input  wire B0, B1, B2, B3, B4, B5, B6, B7, B8, B9, B10, B11, B12, B13, B14, B15, B16, B17,
  input  wire SIGNEDA, SIGNEDB, SOURCEA, SOURCEB,
  input  wire CLK0, CE0, CE1, CE2, CE3, RST0, RST1, RST2, RST3,
  output wire P0, P1, P2, P3, P4, P5, P6, P7, P8, P9, P10, P11, P12, P13, P14, P15, P16, P17, P18, P19, P20, P21,
  P22, P23, P24, P25, P26, P27, P28, P29, P30, P31, P32, P33, P34, P35
);
  parameter REG_INPUTA_CLK = "NONE";
  parameter REG_INPUTA_CE = "CE0";
  parameter REG_INPUTA_RST = "RST0";
  parameter REG_INPUTB_CLK = "NONE";
  parameter REG_INPUTB_CE = "CE0";
  parameter REG_INPUTB_RST = "RST0";
  parameter REG_PIPELINE_CLK = "NONE";
  parameter REG_PIPELINE_CE = "CE0";
  parameter REG_PIPELINE_RST = "RST0";
  parameter REG_OUTPUT_CLK = "NONE";
  parameter REG_OUTPUT_CE = "CE0";
  parameter REG_OUTPUT_RST = "RST0";

  // The lowest bits of the last character of CE0 to CE3, and of RST0 to RST3, are the number in it.
  wire [3:0] ce = {CE3, CE2, CE1, CE0};
  wire [3:0] rst = {RST3, RST2, RST1, RST0};
  wire unused = &{1'b0, SOURCEA, SOURCEB};

  wire [17:0] a_in = {A17, A16, A15, A14, A13, A12, A11, A10, A9, A8, A7, A6, A5, A4, A3, A2, A1, A0};
  wire [17:0] b_in = {B17, B16, B15, B14, B13, B12, B11, B10, B9, B8, B7, B6, B5, B4, B3, B2, B1, B0};
  reg [17:0] a_q, b_q;
  reg [35:0] m_q, p_q;
  wire [17:0] a = REG_INPUTA_CLK == "CLK0" ? a_q : a_in;
  wire [17:0] b = REG_INPUTB_CLK == "CLK0" ? b_q : b_in;
  wire [35:0] m_in = {{18{SIGNEDA & a[17]}}, a} * {{18{SIGNEDB & b[17]}}, b};
  wire [35:0] m = REG_PIPELINE_CLK == "CLK0" ? m_q : m_in;

  initial begin
    a_q = 18'd0;
    b_q = 18'd0;
    m_q = 36'd0;
    p_q = 36'd0;
  end

  always @(posedge CLK0) begin
    if (rst[REG_INPUTA_RST[1:0]]) a_q <= 18'd0;
    else if (ce[REG_INPUTA_CE[1:0]]) a_q <= a_in;
    if (rst[REG_INPUTB_RST[1:0]]) b_q <= 18'd0;
    else if (ce[REG_INPUTB_CE[1:0]]) b_q <= b_in;
    if (rst[REG_PIPELINE_RST[1:0]]) m_q <= 36'd0;
    else if (ce[REG_PIPELINE_CE[1:0]]) m_q <= m_in;
    if (rst[REG_OUTPUT_RST[1:0]]) p_q <= 36'd0;
    else if (ce[REG_OUTPUT_CE[1:0]]) p_q <= m;
  end

  assign {
    P35, P34, P33, P32, P31, P30, P29, P28, P27, P26, P25, P24, P23, P22, P21, P20, P19, P18, P17, P16, P15, P14,
    P13, P12, P11, P10, P9, P8, P7, P6, P5, P4, P3, P2, P1, P0
  } = REG_OUTPUT_CLK == "CLK0" ? p_q : m;
endmodule
