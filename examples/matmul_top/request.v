// Gives a core one record (a command, or the announcement of a transfer) and waits for its answer.
//
// `go` for one cycle sends `record`, which must not change until `done`. `done` comes with the answer and stays until
// the next `go`; `ok` tells whether the answer's status was 0.
module request #(
  parameter WIDTH = 64
) (
  input  wire             clk,
  input  wire             rst,
  input  wire             go,
  input  wire [WIDTH-1:0] record,
  output reg              done,
  output reg              ok,
  // to the core
  output wire [WIDTH-1:0] tdata,
  output reg              tvalid,
  input  wire             tready,
  // from the core
  input  wire [15:0]      answer_tdata,
  input  wire             answer_tvalid,
  output wire             answer_tready
);
  assign tdata = record;
  assign answer_tready = 1'b1;

  always @(posedge clk) begin
    if (tvalid && tready) tvalid <= 1'b0;
    if (answer_tvalid) begin
      done <= 1'b1;
      ok   <= answer_tdata[7:0] == 8'd0;
    end
    if (go) begin
      tvalid <= 1'b1;
      done   <= 1'b0;
      ok     <= 1'b0;
    end
    if (rst) begin
      tvalid <= 1'b0;
      done   <= 1'b0;
      ok     <= 1'b0;
    end
  end
endmodule
