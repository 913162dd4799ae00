"""Tests of networks on an accelerator; the oracle is the reference evaluator of ONNX."""
