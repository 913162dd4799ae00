// Compares the C that matmul_top gives with c.mem, and prints it.
module tb_matmul_top;
  // Beats of C, beats of one row of it, cycles after which it is given up.
  localparam BEATS = 10, ROW = 2, CYCLES = 1000;

  reg clk = 1'b0, rst = 1'b1, start = 1'b0;
  wire done, error, c_tlast, c_tvalid;
  wire [127:0] c_tdata;
  wire [3:0] c_tkeep;
  reg [131:0] expected [0:BEATS-1];
  integer beat = 0, faults = 0, cycle = 0, lane;

  always #5 clk = ~clk;

  matmul_top dut (
    .clk(clk), .rst(rst), .start(start), .done(done), .error(error),
    .c_tdata(c_tdata), .c_tkeep(c_tkeep), .c_tlast(c_tlast), .c_tvalid(c_tvalid), .c_tready(1'b1)
  );

  initial begin
    $readmemh("c.mem", expected);
    repeat (3) @(negedge clk);
    rst = 1'b0;
    start = 1'b1;
    @(negedge clk) start = 1'b0;
  end

  always @(negedge clk) begin
    cycle = cycle + 1;
    if (c_tvalid) begin
      for (lane = 0; lane < 4; lane = lane + 1)
        if (c_tkeep[lane]) $write("%7d", $signed(c_tdata[32*lane +: 32]));
      if (beat % ROW == ROW - 1) $write("\n");
      if ({c_tkeep, c_tdata} !== expected[beat]) begin
        faults = faults + 1;
        $display("\nFAIL beat %0d: expected %h, got %h", beat, expected[beat], {c_tkeep, c_tdata});
      end
      if (c_tlast !== (beat == BEATS - 1)) faults = faults + 1;
      beat = beat + 1;
    end
    if (done || cycle > CYCLES) begin
      if (done && !error && beat == BEATS && faults == 0) begin
        $display("PASS");
        $finish;
      end
      $display("FAIL: %0d of %0d beats, %0d faults", beat, BEATS, faults);
      $fatal;
    end
  end
endmodule
