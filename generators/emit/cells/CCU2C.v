// Two bits of a carry chain of ECP5, for simulation only; synthesis takes the cell as it is.
// Each bit has a table of four inputs, D the highest. Where it gives 1 the carry goes on; where it gives 0 the carry is
// the lowest quarter of the table, of A and B. The sum is the table's value, turned over by the carry that comes.
// INJECT1_* "YES" cuts the bit off from the carry below: nothing is turned over, and what it generates is 0.

module CCU2C (
  input  wire CIN, A0, B0, C0, D0, A1, B1, C1, D1,
  output wire S0, S1, COUT
);
  parameter [15:0] INIT0 = 16'h0000;
  parameter [15:0] INIT1 = 16'h0000;
  parameter [23:0] INJECT1_0 = "YES";
  parameter [23:0] INJECT1_1 = "YES";

  wire cut0 = INJECT1_0 == "YES";
  wire cut1 = INJECT1_1 == "YES";
  wire table0 = INIT0[{D0, C0, B0, A0}];
  wire table1 = INIT1[{D1, C1, B1, A1}];
  wire middle = table0 ? CIN : ~cut0 & INIT0[{2'b00, B0, A0}];

  assign S0 = table0 ^ (~cut0 & CIN);
  assign S1 = table1 ^ (~cut1 & middle);
  assign COUT = table1 ? middle : ~cut1 & INIT1[{2'b00, B1, A1}];
endmodule
