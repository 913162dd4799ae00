// Compares the Y that two_layers gives with y.mem, and prints it.
module tb_two_layers;
  localparam BEATS = 6;

  reg clk = 1'b0, rst = 1'b1, start = 1'b0;
  wire done, error, y_tlast, y_tvalid;
  wire [47:0] y_tdata;
  wire [2:0] y_tkeep;
  reg [50:0] expected [0:BEATS-1];
  integer beat = 0, faults = 0, cycle = 0, lane;

  always #5 clk = ~clk;

  two_layers dut (
    .clk(clk), .rst(rst), .start(start), .done(done), .error(error),
    .y_tdata(y_tdata), .y_tkeep(y_tkeep), .y_tlast(y_tlast), .y_tvalid(y_tvalid), .y_tready(1'b1)
  );

  initial begin
    $readmemh("y.mem", expected);
    repeat (3) @(negedge clk);
    rst = 1'b0;
    start = 1'b1;
    @(negedge clk) start = 1'b0;
  end

  always @(negedge clk) begin
    cycle = cycle + 1;
    if (y_tvalid) begin
      for (lane = 0; lane < 3; lane = lane + 1) $write("%7d", $signed(y_tdata[16*lane +: 16]));
      $write("\n");
      if ({y_tkeep, y_tdata} !== expected[beat]) begin
        faults = faults + 1;
        $display("FAIL beat %0d: expected %h, got %h", beat, expected[beat], {y_tkeep, y_tdata});
      end
      if (y_tlast !== (beat == BEATS - 1)) faults = faults + 1;
      beat = beat + 1;
    end
    if (done || cycle > 1000) begin
      if (done && !error && beat == BEATS && faults == 0) begin
        $display("PASS");
        $finish;
      end
      $display("FAIL: %0d of %0d beats, %0d faults", beat, BEATS, faults);
      $fatal;
    end
  end
endmodule
