"""From a design after place and route to Verilog that simulates: cell by cell, as it was placed."""
