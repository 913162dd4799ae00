// Runs the program of memory.mem on the engine and compares C with expected.mem:
//
//   iverilog -g2005 -o sim tb_engine4.v axi_memory.v out/engine4.v && vvp sim
module tb_engine4;
  localparam PROGRAM = 32'h0, INSTRUCTIONS = 8, C = 32'hc00, VALUES = 30;
  // Registers, as engine4.h has them.
  localparam CONTROL = 9'h040, STATUS = 9'h044, INTERRUPT_ENABLE = 9'h048, INTERRUPT = 9'h04c;
  localparam PROGRAM_LOW = 9'h050, PROGRAM_HIGH = 9'h054, PROGRAM_COUNT = 9'h058, WATCHDOG = 9'h05c;

  reg clk = 0, resetn = 0;
  always #5 clk = !clk;

  // The processor's side: AXI4-Lite.
  reg [8:0] awaddr, araddr;
  reg [31:0] wdata;
  reg awvalid = 0, wvalid = 0, arvalid = 0;
  wire awready, wready, bvalid, arready, rvalid, irq;
  wire [1:0] bresp, rresp;
  wire [31:0] rdata;

  // The memory's side: AXI4.
  wire [31:0] m_awaddr, m_wdata, m_araddr, m_rdata;
  wire [7:0] m_awlen, m_arlen;
  wire [3:0] m_wstrb;
  wire m_awvalid, m_awready, m_wlast, m_wvalid, m_wready, m_bvalid, m_bready;
  wire m_arvalid, m_arready, m_rlast, m_rvalid, m_rready;

  engine4 dut (
    .aclk(clk), .aresetn(resetn), .irq(irq),
    .s_axi_awaddr(awaddr), .s_axi_awprot(3'b000), .s_axi_awvalid(awvalid), .s_axi_awready(awready),
    .s_axi_wdata(wdata), .s_axi_wstrb(4'b1111), .s_axi_wvalid(wvalid), .s_axi_wready(wready),
    .s_axi_bresp(bresp), .s_axi_bvalid(bvalid), .s_axi_bready(1'b1),
    .s_axi_araddr(araddr), .s_axi_arprot(3'b000), .s_axi_arvalid(arvalid), .s_axi_arready(arready),
    .s_axi_rdata(rdata), .s_axi_rresp(rresp), .s_axi_rvalid(rvalid), .s_axi_rready(1'b1),
    .m_axi_awaddr(m_awaddr), .m_axi_awlen(m_awlen), .m_axi_awsize(), .m_axi_awburst(), .m_axi_awcache(),
    .m_axi_awprot(), .m_axi_awvalid(m_awvalid), .m_axi_awready(m_awready),
    .m_axi_wdata(m_wdata), .m_axi_wstrb(m_wstrb), .m_axi_wlast(m_wlast), .m_axi_wvalid(m_wvalid),
    .m_axi_wready(m_wready), .m_axi_bresp(2'b00), .m_axi_bvalid(m_bvalid), .m_axi_bready(m_bready),
    .m_axi_araddr(m_araddr), .m_axi_arlen(m_arlen), .m_axi_arsize(), .m_axi_arburst(), .m_axi_arcache(),
    .m_axi_arprot(), .m_axi_arvalid(m_arvalid), .m_axi_arready(m_arready),
    .m_axi_rdata(m_rdata), .m_axi_rresp(2'b00), .m_axi_rlast(m_rlast), .m_axi_rvalid(m_rvalid),
    .m_axi_rready(m_rready)
  );

  axi_memory memory (
    .clk(clk), .rst(!resetn),
    .awaddr(m_awaddr), .awlen(m_awlen), .awvalid(m_awvalid), .awready(m_awready),
    .wdata(m_wdata), .wstrb(m_wstrb), .wlast(m_wlast), .wvalid(m_wvalid), .wready(m_wready),
    .bvalid(m_bvalid), .bready(m_bready),
    .araddr(m_araddr), .arlen(m_arlen), .arvalid(m_arvalid), .arready(m_arready),
    .rdata(m_rdata), .rlast(m_rlast), .rvalid(m_rvalid), .rready(m_rready)
  );

  // Signals change after the rising edge; address and data of a write are offered together and taken apart.
  task write_register(input [8:0] at, input [31:0] value);
    begin
      @(posedge clk) #1;
      awaddr = at; wdata = value; awvalid = 1; wvalid = 1;
      while (awvalid || wvalid) begin
        @(negedge clk);
        if (awready && wready) begin
          @(posedge clk) #1 awvalid = 0; wvalid = 0;
        end
      end
      while (!bvalid) @(negedge clk);
      if (bresp != 0) $display("FAIL: register 0x%03x refuses to be written", at);
      @(posedge clk) #1;
    end
  endtask

  task read_register(input [8:0] at, output [31:0] value);
    begin
      @(posedge clk) #1;
      araddr = at; arvalid = 1;
      while (arvalid) begin
        @(negedge clk);
        if (arready) begin
          @(posedge clk) #1 arvalid = 0;
        end
      end
      while (!rvalid) @(negedge clk);
      value = rdata;
      @(posedge clk) #1;
    end
  endtask

  reg [31:0] expected [0:VALUES-1], status;
  integer i, wrong = 0;
  initial begin
    $readmemh("memory.mem", memory.words);
    $readmemh("expected.mem", expected);
    repeat (4) @(posedge clk);
    #1 resetn = 1;
    write_register(PROGRAM_LOW, PROGRAM);
    write_register(PROGRAM_HIGH, 0);
    write_register(PROGRAM_COUNT, INSTRUCTIONS);
    write_register(WATCHDOG, 10000);
    write_register(INTERRUPT_ENABLE, 1);
    write_register(CONTROL, 1);
    wait (irq);
    write_register(INTERRUPT, 1);
    read_register(STATUS, status);
    if (status[2:0] !== 3'b010) wrong = 1;
    for (i = 0; i < VALUES; i = i + 1)
      if (memory.words[C/4 + i] !== expected[i]) begin
        $display("value %0d: expected %08x, got %08x", i, expected[i], memory.words[C/4 + i]);
        wrong = wrong + 1;
      end
    if (irq) wrong = wrong + 1;
    if (wrong != 0) $display("FAIL: status %08x", status);
    else $display("PASS: %0d values", VALUES);
    $finish;
  end

  initial #1000000 begin
    $display("FAIL: no interrupt");
    $finish;
  end
endmodule
