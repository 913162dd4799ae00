"""From Verilog to the file that a board takes, with tools that pip installs."""
