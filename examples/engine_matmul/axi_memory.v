// A memory of 32-bit words behind AXI4, for simulation: one burst of a kind at a time, INCR, full width, always OKAY.
module axi_memory #(
  parameter WORDS = 1024,
  parameter LATENCY = 10
) (
  input  wire clk,
  input  wire rst,
  input  wire [31:0] awaddr,
  input  wire [7:0] awlen,
  input  wire awvalid,
  output wire awready,
  input  wire [31:0] wdata,
  input  wire [3:0] wstrb,
  input  wire wlast,
  input  wire wvalid,
  output wire wready,
  output reg  bvalid,
  input  wire bready,
  input  wire [31:0] araddr,
  input  wire [7:0] arlen,
  input  wire arvalid,
  output wire arready,
  output wire [31:0] rdata,
  output wire rlast,
  output wire rvalid,
  input  wire rready
);
  reg [31:0] words [0:WORDS-1];

  // Reads: the address, LATENCY cycles, the beats.
  reg reading;
  reg [7:0] wait_cycles, read_left;
  reg [29:0] read_word;
  assign arready = !reading;
  assign rvalid = reading && wait_cycles == 0;
  assign rdata = words[read_word];
  assign rlast = read_left == 0;
  always @(posedge clk)
    if (rst) reading <= 0;
    else if (!reading) begin
      if (arvalid) begin
        reading <= 1;
        wait_cycles <= LATENCY;
        read_word <= araddr[31:2];
        read_left <= arlen;
      end
    end else if (wait_cycles != 0) wait_cycles <= wait_cycles - 1;
    else if (rready) begin
      read_word <= read_word + 1;
      read_left <= read_left - 1;
      if (rlast) reading <= 0;
    end

  // Writes: the address, the beats, the response.
  reg writing;
  reg [29:0] write_word;
  integer i;
  assign awready = !writing && !bvalid;
  assign wready = writing;
  always @(posedge clk)
    if (rst) begin
      writing <= 0;
      bvalid <= 0;
    end else begin
      if (bready) bvalid <= 0;
      if (awvalid && awready) begin
        writing <= 1;
        write_word <= awaddr[31:2];
      end else if (wvalid && wready) begin
        for (i = 0; i < 4; i = i + 1)
          if (wstrb[i]) words[write_word][8*i +: 8] <= wdata[8*i +: 8];
        write_word <= write_word + 1;
        if (wlast) begin
          writing <= 0;
          bvalid <= 1;
        end
      end
    end
endmodule
