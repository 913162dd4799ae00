// C = A @ B for A (5 x 7) and B (7 x 6) that lie in ROMs, on the generated core gemm4.
//
// `start` begins; C leaves as a stream, row by row, four values a beat; then `done` is high until the next `start`,
// and `error` tells whether the core has refused anything. Sizes need not be multiples of the array's.
module matmul_top #(
  parameter A_FILE = "a.mem",
  parameter B_FILE = "b.mem"
) (
  input  wire         clk,
  input  wire         rst,
  input  wire         start,
  output wire         done,
  output wire         error,
  output wire [127:0] c_tdata,
  output wire [3:0]   c_tkeep,
  output wire         c_tlast,
  output wire         c_tvalid,
  input  wire         c_tready
);
  localparam [15:0] M = 16'd5, N = 16'd6, K = 16'd7;

  // Records, fields from the highest bit down; the head of gemm4.v lists them.
  //                            tag   rsv   region  cols  rows base
  wire [63:0] matrix_a      = {8'd1, 7'd0, 1'b0,    K,    M,   16'd0};
  wire [63:0] matrix_b      = {8'd2, 7'd0, 1'b0,    N,    K,   16'd0};
  wire [63:0] matrix_c      = {8'd3, 7'd0, 1'b0,    N,    M,   16'd0};
  //                            tag   rsv   region start dataflow bias   c      b      a      k  n  m
  wire [127:0] product      = {8'd4, 3'd0, 1'b0,   2'd0, 2'd0,    16'd0, 16'd0, 16'd0, 16'd0, K, N, M};

  // Loads run side by side, then the product, then the read-out.
  localparam IDLE = 2'd0, LOAD = 2'd1, MULTIPLY = 2'd2, READ = 2'd3;
  reg [1:0] state;
  reg       go_load, go_multiply, go_read, finished;
  wire      a_done, a_ok, b_done, b_ok, multiply_done, multiply_ok, read_done, read_ok;

  always @(posedge clk) begin
    go_load     <= 1'b0;
    go_multiply <= 1'b0;
    go_read     <= 1'b0;
    case (state)
      IDLE: if (start) begin
        state    <= LOAD;
        go_load  <= 1'b1;
        finished <= 1'b0;
      end
      LOAD: if (a_done && b_done && !go_load) begin
        state       <= MULTIPLY;
        go_multiply <= 1'b1;
      end
      MULTIPLY: if (multiply_done && !go_multiply) begin
        state   <= READ;
        go_read <= 1'b1;
      end
      READ: if (read_done && !go_read) begin
        state    <= IDLE;
        finished <= 1'b1;
      end
    endcase
    if (rst) begin
      state       <= IDLE;
      finished    <= 1'b0;
      go_load     <= 1'b0;
      go_multiply <= 1'b0;
      go_read     <= 1'b0;
    end
  end

  assign done  = finished;
  assign error = finished && !(a_ok && b_ok && multiply_ok && read_ok);

  wire [31:0] a_tdata, b_tdata;
  wire [3:0]  a_tkeep, b_tkeep;
  wire        a_tlast, a_tvalid, a_tready, b_tlast, b_tvalid, b_tready;

  rom_stream #(.BEATS(10), .FILE(A_FILE)) rom_a (
    .clk(clk), .rst(rst), .go(go_load),
    .tdata(a_tdata), .tkeep(a_tkeep), .tlast(a_tlast), .tvalid(a_tvalid), .tready(a_tready)
  );
  rom_stream #(.BEATS(14), .FILE(B_FILE)) rom_b (
    .clk(clk), .rst(rst), .go(go_load),
    .tdata(b_tdata), .tkeep(b_tkeep), .tlast(b_tlast), .tvalid(b_tvalid), .tready(b_tready)
  );

  wire [63:0]  load_a_tdata, load_b_tdata, read_tdata;
  wire [127:0] command_tdata;
  wire         load_a_tvalid, load_a_tready, load_b_tvalid, load_b_tready;
  wire         command_tvalid, command_tready, read_tvalid, read_tready;
  wire [15:0]  load_a_answer, load_b_answer, completion, read_answer;
  wire         load_a_answer_tvalid, load_a_answer_tready, load_b_answer_tvalid, load_b_answer_tready;
  wire         completion_tvalid, completion_tready, read_answer_tvalid, read_answer_tready;

  request load_a (
    .clk(clk), .rst(rst), .go(go_load), .record(matrix_a), .done(a_done), .ok(a_ok),
    .tdata(load_a_tdata), .tvalid(load_a_tvalid), .tready(load_a_tready),
    .answer_tdata(load_a_answer), .answer_tvalid(load_a_answer_tvalid), .answer_tready(load_a_answer_tready)
  );
  request load_b (
    .clk(clk), .rst(rst), .go(go_load), .record(matrix_b), .done(b_done), .ok(b_ok),
    .tdata(load_b_tdata), .tvalid(load_b_tvalid), .tready(load_b_tready),
    .answer_tdata(load_b_answer), .answer_tvalid(load_b_answer_tvalid), .answer_tready(load_b_answer_tready)
  );
  request #(.WIDTH(128)) multiply (
    .clk(clk), .rst(rst), .go(go_multiply), .record(product), .done(multiply_done), .ok(multiply_ok),
    .tdata(command_tdata), .tvalid(command_tvalid), .tready(command_tready),
    .answer_tdata(completion), .answer_tvalid(completion_tvalid), .answer_tready(completion_tready)
  );
  request read (
    .clk(clk), .rst(rst), .go(go_read), .record(matrix_c), .done(read_done), .ok(read_ok),
    .tdata(read_tdata), .tvalid(read_tvalid), .tready(read_tready),
    .answer_tdata(read_answer), .answer_tvalid(read_answer_tvalid), .answer_tready(read_answer_tready)
  );

  gemm4 core (
    .clk(clk), .rst(rst),
    .command_tdata(command_tdata), .command_tvalid(command_tvalid), .command_tready(command_tready),
    .completion_tdata(completion), .completion_tvalid(completion_tvalid), .completion_tready(completion_tready),
    .load_a_command_tdata(load_a_tdata), .load_a_command_tvalid(load_a_tvalid), .load_a_command_tready(load_a_tready),
    .load_a_beats_tdata(a_tdata), .load_a_beats_tkeep(a_tkeep), .load_a_beats_tlast(a_tlast),
    .load_a_beats_tvalid(a_tvalid), .load_a_beats_tready(a_tready),
    .load_a_answer_tdata(load_a_answer), .load_a_answer_tvalid(load_a_answer_tvalid),
    .load_a_answer_tready(load_a_answer_tready),
    .load_b_command_tdata(load_b_tdata), .load_b_command_tvalid(load_b_tvalid), .load_b_command_tready(load_b_tready),
    .load_b_beats_tdata(b_tdata), .load_b_beats_tkeep(b_tkeep), .load_b_beats_tlast(b_tlast),
    .load_b_beats_tvalid(b_tvalid), .load_b_beats_tready(b_tready),
    .load_b_answer_tdata(load_b_answer), .load_b_answer_tvalid(load_b_answer_tvalid),
    .load_b_answer_tready(load_b_answer_tready),
    // C starts from zero: nothing is loaded into it.
    .load_c_command_tdata(64'd0), .load_c_command_tvalid(1'b0), .load_c_command_tready(),
    .load_c_beats_tdata(128'd0), .load_c_beats_tkeep(4'd0), .load_c_beats_tlast(1'b0),
    .load_c_beats_tvalid(1'b0), .load_c_beats_tready(),
    .load_c_answer_tdata(), .load_c_answer_tvalid(), .load_c_answer_tready(1'b1),
    .read_c_command_tdata(read_tdata), .read_c_command_tvalid(read_tvalid), .read_c_command_tready(read_tready),
    .read_c_beats_tdata(c_tdata), .read_c_beats_tkeep(c_tkeep), .read_c_beats_tlast(c_tlast),
    .read_c_beats_tvalid(c_tvalid), .read_c_beats_tready(c_tready),
    .read_c_answer_tdata(read_answer), .read_c_answer_tvalid(read_answer_tvalid),
    .read_c_answer_tready(read_answer_tready)
  );
endmodule
