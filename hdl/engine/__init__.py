"""The GEMM engine: a core, and what moves tiles between it and memory."""
