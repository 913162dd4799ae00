"""AXI4, AXI4-Lite and AXI4-Stream: signatures and what stands between them and the blocks inside."""
