"""A small language model with random weights, as a GGUF file: a Llama of six layers.

Its vocabulary is the words of which `thinktime run` makes prompts, one token each, so that a prompt
has as many tokens as words, and each token of a response is a text that can be sent at once.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gguf  # type: ignore[import-not-found] # of the server's own interpreter
import numpy as np
from vocabulary import words

LAYERS, WIDTH, HEADS, INNER, CONTEXT = 6, 256, 8, 688, 2048
BLANK = "\N{LOWER ONE EIGHTH BLOCK}"
"""A blank before a word, in the notation of tokenizers."""


def write(path: Path, seed: int = 1) -> None:
    """Write the model; the same seed has the same weights."""
    model = gguf.GGUFWriter(path, "llama")
    model.add_context_length(CONTEXT)
    model.add_embedding_length(WIDTH)
    model.add_block_count(LAYERS)
    model.add_feed_forward_length(INNER)
    model.add_head_count(HEADS)
    model.add_head_count_kv(HEADS)
    model.add_layer_norm_rms_eps(1e-5)
    model.add_rope_dimension_count(WIDTH // HEADS)
    _weights(model, _vocabulary(model), seed)
    model.write_header_to_file()
    model.write_kv_data_to_file()
    model.write_tensors_to_file()
    model.close()


def _vocabulary(model: Any) -> int:
    """Add a tokenizer that looks for whole words; gives the number of tokens."""
    tokens = ["</s>", "<unk>", BLANK, *(BLANK + word for word in words())]
    kinds = [gguf.TokenType.CONTROL, gguf.TokenType.UNKNOWN]
    kinds += [gguf.TokenType.NORMAL] * (len(tokens) - len(kinds))
    model.add_tokenizer_model("t5")
    model.add_tokenizer_pre("default")
    model.add_vocab_size(len(tokens))
    model.add_token_list(tokens)
    model.add_token_scores([-1.0] * len(tokens))
    model.add_token_types(kinds)
    for add in (model.add_bos_token_id, model.add_eos_token_id, model.add_pad_token_id):
        add(0)
    model.add_unk_token_id(1)
    model.add_add_bos_token(False)
    model.add_add_eos_token(False)
    model.add_add_space_prefix(True)
    return len(tokens)


def _weights(model: Any, tokens: int, seed: int) -> None:
    draws = np.random.default_rng(seed)
    square, up = (WIDTH, WIDTH), (INNER, WIDTH)
    layer = {
        "attn_norm": (WIDTH,), "attn_q": square, "attn_k": square, "attn_v": square,
        "attn_output": square, "ffn_norm": (WIDTH,), "ffn_gate": up, "ffn_up": up,
        "ffn_down": (WIDTH, INNER),
    }  # fmt: skip
    shapes = {f"blk.{at}.{name}": layer[name] for at in range(LAYERS) for name in layer}
    shapes |= {"token_embd": (tokens, WIDTH), "output": (tokens, WIDTH), "output_norm": (WIDTH,)}
    for name, shape in shapes.items():
        drawn = 0.02 * draws.standard_normal(shape)
        values = np.ones(shape) if name.endswith("norm") else drawn
        model.add_tensor(f"{name}.weight", values.astype(np.float32))
