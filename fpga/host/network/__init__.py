"""Networks as graphs of operators, run on an accelerator."""

from tilewright.fpga.host.network.graph import Graph, GraphBuilder, Node
from tilewright.fpga.host.network.onnx_file import read_onnx
from tilewright.fpga.host.network.run import run_graph

__all__ = ["Graph", "GraphBuilder", "Node", "read_onnx", "run_graph"]
