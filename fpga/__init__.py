"""Boards, top levels, host drivers and build flows: everything between the generated Verilog and a running board."""
