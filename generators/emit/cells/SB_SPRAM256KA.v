// The single-port RAM of iCE40 UltraPlus, for simulation only; synthesis takes the cell as it is.
// 16,384 words of 16 bits. On CLOCK, with CHIPSELECT high: where WREN is high the nibbles of DATAIN whose bit of MASKWREN
// is high are written, and DATAOUT is undefined from then on; else DATAOUT is the word at ADDRESS. It holds otherwise.
// Not modelled: STANDBY and SLEEP, which must be 0, and POWEROFF, which is active low and must be 1.

module SB_SPRAM256KA (
  input  wire CLOCK, CHIPSELECT, WREN, STANDBY, SLEEP, POWEROFF,
  input  wire [3:0] MASKWREN,
  input  wire [13:0] ADDRESS,
  input  wire [15:0] DATAIN,
  output reg  [15:0] DATAOUT
);
  reg [15:0] words [0:16383];
  wire on = ~STANDBY & ~SLEEP & POWEROFF;
  wire [15:0] mask = {{4{MASKWREN[3]}}, {4{MASKWREN[2]}}, {4{MASKWREN[1]}}, {4{MASKWREN[0]}}};

  always @(posedge CLOCK)
    if (CHIPSELECT & on) begin
      if (WREN) words[ADDRESS] <= (DATAIN & mask) | (words[ADDRESS] & ~mask);
      DATAOUT <= WREN ? 16'bx : words[ADDRESS];
    end
endmodule
