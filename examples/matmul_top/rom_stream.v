// Streams a matrix from a ROM: one line of FILE is one beat, {keep, data} in hexadecimal.
//
// `go` for one cycle starts it. A matrix row starts on a new line; `keep` has a bit for every value of the row.
module rom_stream #(
  parameter LANES = 4,
  parameter WIDTH = 8,
  parameter BEATS = 1,
  parameter FILE  = ""
) (
  input  wire                   clk,
  input  wire                   rst,
  input  wire                   go,
  output wire [LANES*WIDTH-1:0] tdata,
  output wire [LANES-1:0]       tkeep,
  output wire                   tlast,
  output reg                    tvalid,
  input  wire                   tready
);
  reg [LANES*WIDTH+LANES-1:0] rom [0:BEATS-1];
  reg [15:0] beat;

  initial $readmemh(FILE, rom);

  assign {tkeep, tdata} = rom[beat];
  assign tlast = beat == BEATS - 1;

  always @(posedge clk) begin
    if (tvalid && tready) begin
      beat   <= tlast ? 16'd0 : beat + 16'd1;
      tvalid <= !tlast;
    end
    if (go) tvalid <= 1'b1;
    if (rst) begin
      beat   <= 16'd0;
      tvalid <= 1'b0;
    end
  end
endmodule
