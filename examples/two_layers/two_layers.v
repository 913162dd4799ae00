// Two different generated cores in one design: Y = squeeze(X @ W1) @ W2.
//
// The module names of a core all start with its own name, so two of them link side by side. The C of `hidden` flows,
// squeezed to 8 bits, as the A of `classes`: both are row-major streams, so nothing lies between them but arithmetic.
//
// Needs hidden.v and classes.v, generated from hidden.toml and classes.toml; request.v and rom_stream.v of
// ../matmul_top; and x.mem, w1.mem, w2.mem in the folder in which it is simulated or synthesised (its bench: y.mem).
// In this folder:
//
//     tilewright systolic --config hidden.toml -o hidden
//     tilewright systolic --config classes.toml -o classes
//     iverilog -g2005-sv -s tb_two_layers -o sim hidden/hidden.v classes/classes.v \
//         ../matmul_top/request.v ../matmul_top/rom_stream.v two_layers.v tb_two_layers.v
//     vvp sim
module two_layers (
  input  wire        clk,
  input  wire        rst,
  input  wire        start,
  output wire        done,
  output wire        error,
  output wire [47:0] y_tdata,
  output wire [2:0]  y_tkeep,
  output wire        y_tlast,
  output wire        y_tvalid,
  input  wire        y_tready
);
  localparam [15:0] IMAGES = 16'd6, INPUTS = 16'd7, HIDDEN = 16'd5, CLASSES = 16'd3;

  function [63:0] matrix(input [15:0] rows, input [15:0] cols);
    matrix = {8'd0, 7'd0, 1'b0, cols, rows, 16'd0};
  endfunction

  function [127:0] product(input [15:0] m, input [15:0] n, input [15:0] k, input [1:0] dataflow);
    product = {8'd0, 3'd0, 1'b0, 2'd0, dataflow, 64'd0, k, n, m};
  endfunction

  // Hidden values are shifted right by 7 and clamped to 0..255.
  function [7:0] squeezed(input signed [31:0] sum);
    squeezed = sum < 0 ? 8'd0 : sum > 32'sd32767 ? 8'd255 : sum[14:7];
  endfunction

  localparam IDLE = 3'd0, LOAD = 3'd1, FIRST = 3'd2, PASS_ON = 3'd3, SECOND = 3'd4, READ = 3'd5;
  reg [2:0] state;
  reg       go_load, go_first, go_pass, go_second, go_read, finished;
  wire      go = go_load || go_first || go_pass || go_second || go_read;
  // Answers of: load X, load W1, load W2, first product, read hidden, load hidden, second product, read Y.
  wire [7:0] answered, ok;

  always @(posedge clk) begin
    {go_load, go_first, go_pass, go_second, go_read} <= 5'd0;
    if (!go) case (state)
      IDLE:    if (start) begin
        state    <= LOAD;
        go_load  <= 1'b1;
        finished <= 1'b0;
      end
      LOAD:    if (&answered[2:0]) begin state <= FIRST;   go_first  <= 1'b1; end
      FIRST:   if (answered[3])    begin state <= PASS_ON; go_pass   <= 1'b1; end
      PASS_ON: if (&answered[5:4]) begin state <= SECOND;  go_second <= 1'b1; end
      SECOND:  if (answered[6])    begin state <= READ;    go_read   <= 1'b1; end
      default: if (answered[7])    begin state <= IDLE;    finished  <= 1'b1; end
    endcase
    if (rst) begin
      state    <= IDLE;
      finished <= 1'b0;
      {go_load, go_first, go_pass, go_second, go_read} <= 5'd0;
    end
  end

  assign done  = finished;
  assign error = finished && !(&ok);

  wire [31:0] x_data, w1_data;
  wire [11:0] w2_data;
  wire [3:0]  x_keep, w1_keep;
  wire [2:0]  w2_keep;
  wire        x_last, x_valid, x_ready, w1_last, w1_valid, w1_ready, w2_last, w2_valid, w2_ready;

  rom_stream #(.BEATS(12), .FILE("x.mem")) rom_x (
    .clk(clk), .rst(rst), .go(go_load),
    .tdata(x_data), .tkeep(x_keep), .tlast(x_last), .tvalid(x_valid), .tready(x_ready)
  );
  rom_stream #(.BEATS(14), .FILE("w1.mem")) rom_w1 (
    .clk(clk), .rst(rst), .go(go_load),
    .tdata(w1_data), .tkeep(w1_keep), .tlast(w1_last), .tvalid(w1_valid), .tready(w1_ready)
  );
  rom_stream #(.LANES(3), .WIDTH(4), .BEATS(5), .FILE("w2.mem")) rom_w2 (
    .clk(clk), .rst(rst), .go(go_load),
    .tdata(w2_data), .tkeep(w2_keep), .tlast(w2_last), .tvalid(w2_valid), .tready(w2_ready)
  );

  // One request unit for each answer above; transfers are 64 bits wide, products 128.
  wire [7:0]   sent, taken, answer_valid, answer_ready;
  wire [15:0]  answer [0:7];
  wire [63:0]  load_x, load_w1, load_w2, read_hidden, load_hidden, read_y;
  wire [127:0] first, second;

  request ask_0 (clk, rst, go_load, matrix(IMAGES, INPUTS), answered[0], ok[0],
                 load_x, sent[0], taken[0], answer[0], answer_valid[0], answer_ready[0]);
  request ask_1 (clk, rst, go_load, matrix(INPUTS, HIDDEN), answered[1], ok[1],
                 load_w1, sent[1], taken[1], answer[1], answer_valid[1], answer_ready[1]);
  request ask_2 (clk, rst, go_load, matrix(HIDDEN, CLASSES), answered[2], ok[2],
                 load_w2, sent[2], taken[2], answer[2], answer_valid[2], answer_ready[2]);
  request #(.WIDTH(128)) ask_3 (clk, rst, go_first, product(IMAGES, HIDDEN, INPUTS, 2'd0), answered[3], ok[3],
                                first, sent[3], taken[3], answer[3], answer_valid[3], answer_ready[3]);
  request ask_4 (clk, rst, go_pass, matrix(IMAGES, HIDDEN), answered[4], ok[4],
                 read_hidden, sent[4], taken[4], answer[4], answer_valid[4], answer_ready[4]);
  request ask_5 (clk, rst, go_pass, matrix(IMAGES, HIDDEN), answered[5], ok[5],
                 load_hidden, sent[5], taken[5], answer[5], answer_valid[5], answer_ready[5]);
  request #(.WIDTH(128)) ask_6 (clk, rst, go_second, product(IMAGES, CLASSES, HIDDEN, 2'd1), answered[6], ok[6],
                                second, sent[6], taken[6], answer[6], answer_valid[6], answer_ready[6]);
  request ask_7 (clk, rst, go_read, matrix(IMAGES, CLASSES), answered[7], ok[7],
                 read_y, sent[7], taken[7], answer[7], answer_valid[7], answer_ready[7]);

  wire [127:0] sums;
  wire [3:0]   sums_keep;
  wire         sums_last, sums_valid, sums_ready;

  hidden first_layer (
    .clk(clk), .rst(rst),
    .command_tdata(first), .command_tvalid(sent[3]), .command_tready(taken[3]),
    .completion_tdata(answer[3]), .completion_tvalid(answer_valid[3]), .completion_tready(answer_ready[3]),
    .load_a_command_tdata(load_x), .load_a_command_tvalid(sent[0]), .load_a_command_tready(taken[0]),
    .load_a_beats_tdata(x_data), .load_a_beats_tkeep(x_keep), .load_a_beats_tlast(x_last),
    .load_a_beats_tvalid(x_valid), .load_a_beats_tready(x_ready),
    .load_a_answer_tdata(answer[0]), .load_a_answer_tvalid(answer_valid[0]), .load_a_answer_tready(answer_ready[0]),
    .load_b_command_tdata(load_w1), .load_b_command_tvalid(sent[1]), .load_b_command_tready(taken[1]),
    .load_b_beats_tdata(w1_data), .load_b_beats_tkeep(w1_keep), .load_b_beats_tlast(w1_last),
    .load_b_beats_tvalid(w1_valid), .load_b_beats_tready(w1_ready),
    .load_b_answer_tdata(answer[1]), .load_b_answer_tvalid(answer_valid[1]), .load_b_answer_tready(answer_ready[1]),
    .load_c_command_tdata(64'd0), .load_c_command_tvalid(1'b0), .load_c_command_tready(),
    .load_c_beats_tdata(128'd0), .load_c_beats_tkeep(4'd0), .load_c_beats_tlast(1'b0),
    .load_c_beats_tvalid(1'b0), .load_c_beats_tready(),
    .load_c_answer_tdata(), .load_c_answer_tvalid(), .load_c_answer_tready(1'b1),
    .read_c_command_tdata(read_hidden), .read_c_command_tvalid(sent[4]), .read_c_command_tready(taken[4]),
    .read_c_beats_tdata(sums), .read_c_beats_tkeep(sums_keep), .read_c_beats_tlast(sums_last),
    .read_c_beats_tvalid(sums_valid), .read_c_beats_tready(sums_ready),
    .read_c_answer_tdata(answer[4]), .read_c_answer_tvalid(answer_valid[4]), .read_c_answer_tready(answer_ready[4])
  );

  classes second_layer (
    .clk(clk), .rst(rst),
    .command_tdata(second), .command_tvalid(sent[6]), .command_tready(taken[6]),
    .completion_tdata(answer[6]), .completion_tvalid(answer_valid[6]), .completion_tready(answer_ready[6]),
    .load_a_command_tdata(load_hidden), .load_a_command_tvalid(sent[5]), .load_a_command_tready(taken[5]),
    .load_a_beats_tdata({squeezed(sums[127:96]), squeezed(sums[95:64]), squeezed(sums[63:32]), squeezed(sums[31:0])}),
    .load_a_beats_tkeep(sums_keep), .load_a_beats_tlast(sums_last),
    .load_a_beats_tvalid(sums_valid), .load_a_beats_tready(sums_ready),
    .load_a_answer_tdata(answer[5]), .load_a_answer_tvalid(answer_valid[5]), .load_a_answer_tready(answer_ready[5]),
    .load_b_command_tdata(load_w2), .load_b_command_tvalid(sent[2]), .load_b_command_tready(taken[2]),
    .load_b_beats_tdata(w2_data), .load_b_beats_tkeep(w2_keep), .load_b_beats_tlast(w2_last),
    .load_b_beats_tvalid(w2_valid), .load_b_beats_tready(w2_ready),
    .load_b_answer_tdata(answer[2]), .load_b_answer_tvalid(answer_valid[2]), .load_b_answer_tready(answer_ready[2]),
    .load_c_command_tdata(64'd0), .load_c_command_tvalid(1'b0), .load_c_command_tready(),
    .load_c_beats_tdata(48'd0), .load_c_beats_tkeep(3'd0), .load_c_beats_tlast(1'b0),
    .load_c_beats_tvalid(1'b0), .load_c_beats_tready(),
    .load_c_answer_tdata(), .load_c_answer_tvalid(), .load_c_answer_tready(1'b1),
    .read_c_command_tdata(read_y), .read_c_command_tvalid(sent[7]), .read_c_command_tready(taken[7]),
    .read_c_beats_tdata(y_tdata), .read_c_beats_tkeep(y_tkeep), .read_c_beats_tlast(y_tlast),
    .read_c_beats_tvalid(y_tvalid), .read_c_beats_tready(y_tready),
    .read_c_answer_tdata(answer[7]), .read_c_answer_tvalid(answer_valid[7]), .read_c_answer_tready(answer_ready[7])
  );
endmodule
