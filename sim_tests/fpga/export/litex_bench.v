// Runs the program at address 0 of an engine in a LiteX system, and prints WORDS words of memory from FIRST on.
module bench;
  parameter INSTRUCTIONS = 0;
  parameter FIRST = 0;
  parameter WORDS = 0;

  reg sys_clk, sys_rst;
  reg [29:0] adr;
  reg [31:0] dat_w;
  reg registers_stb, host_stb, we;
  wire [31:0] registers_dat_r, host_dat_r;
  wire registers_ack, host_ack, irq;
  integer word;

  top top (
    .sys_clk(sys_clk),
    .sys_rst(sys_rst),
    .registers_adr(adr),
    .registers_dat_w(dat_w),
    .registers_dat_r(registers_dat_r),
    .registers_sel(4'hf),
    .registers_cyc(registers_stb),
    .registers_stb(registers_stb),
    .registers_ack(registers_ack),
    .registers_we(we),
    .host_adr(adr),
    .host_dat_w(32'd0),
    .host_dat_r(host_dat_r),
    .host_sel(4'hf),
    .host_cyc(host_stb),
    .host_stb(host_stb),
    .host_ack(host_ack),
    .host_we(1'b0),
    .irq(irq)
  );

  always #5 sys_clk = ~sys_clk;

  task write(input [8:0] offset, input [31:0] value);
    begin
      @(negedge sys_clk) adr = {23'd0, offset[8:2]};
      dat_w = value;
      we = 1'b1;
      registers_stb = 1'b1;
      @(posedge sys_clk) while (!registers_ack) @(posedge sys_clk);
      @(negedge sys_clk) registers_stb = 1'b0;
    end
  endtask

  initial begin
    sys_clk = 1'b0;
    sys_rst = 1'b1;
    {registers_stb, host_stb, we, adr, dat_w} = 0;
    repeat (4) @(negedge sys_clk);
    sys_rst = 1'b0;
    write(9'h048, 1);  // interrupt_enable
    write(9'h058, INSTRUCTIONS);
    write(9'h05c, 100000);  // watchdog
    write(9'h040, 1);  // start
    wait (irq);
    we = 1'b0;
    for (word = 0; word < WORDS; word = word + 1) begin
      @(negedge sys_clk) adr = FIRST + word;
      host_stb = 1'b1;
      @(posedge sys_clk) while (!host_ack) @(posedge sys_clk);
      $display("%08h", host_dat_r);
      @(negedge sys_clk) host_stb = 1'b0;
    end
    $finish;
  end

  initial begin
    #5000000 $display("no end");
    $finish;
  end
endmodule
