"""Shapes of real layers, M x N x K."""

from __future__ import annotations

RESNET_50 = {
    "Conv1": (11_881, 64, 147),
    "CB2a_1": (3_136, 64, 64),
    "CB2a_2": (2_916, 64, 576),
    "CB2a_3": (3_136, 256, 64),
    "IB2b_1": (3_136, 64, 256),
    "CB3a_1": (784, 128, 256),
    "CB3a_2": (676, 128, 1_152),
    "CB3a_3": (784, 512, 128),
    "CB3s": (784, 512, 256),
    "IB3b_1": (784, 128, 512),
    "CB4a_1": (196, 256, 512),
    "CB4a_2": (144, 256, 2_304),
    "CB4a_3": (196, 1_024, 256),
    "CB4s": (196, 1_024, 512),
    "IB4b_1": (196, 256, 1_024),
    "CB5a_1": (49, 512, 1_024),
    "CB5a_2": (25, 512, 4_608),
    "CB5a_3": (49, 2_048, 512),
    "CB5s": (49, 2_048, 1_024),
    "IB5b_1": (49, 512, 2_048),
    "FC6": (1, 1_000, 2_048),
}
"""The distinct layers of SCALE-Sim's topology ``conv_nets/Resnet50.csv``, as products by im2col without padding."""

LLAMA_3_8B_TOKEN = {
    "k_proj": (1, 1_024, 4_096),
    "q_proj": (1, 4_096, 4_096),
}
"""Projections of one token, from the sizes in Llama 3.1 8B's configuration."""
