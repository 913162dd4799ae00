"""From a bitstream back to Verilog: what a board takes is taken apart again."""
