"""Systolic arrays and the GEMM core around them."""
