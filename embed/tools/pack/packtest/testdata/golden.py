"""Makes the golden files of this folder, with the reference implementations:

    pip install numpy==2.4.6 sentencepiece==0.2.3 tokenizers==0.23.3
    python golden.py

tokenizer.json.gz  a unigram model of corpus.txt, as XLM-RoBERTa's is written:
                   nmt_nfkc's charsmap, special tokens before the pieces
tokens.json        texts and their token IDs by tokenizers
vectors.json       texts and their vectors by a small model of random parameters,
                   in double precision; package packtest makes the same parameters
"""

import gzip
import hashlib
import json
import math
import os
import random
import struct
import tempfile

import numpy as np
import sentencepiece
from sentencepiece import sentencepiece_model_pb2
from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

SPECIAL = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]


def train():
    with tempfile.TemporaryDirectory() as folder:
        sentencepiece.SentencePieceTrainer.train(
            input="corpus.txt",
            model_prefix=folder + "/m",
            vocab_size=900,
            model_type="unigram",
            num_threads=1,
            character_coverage=0.98,
            normalization_rule_name="nmt_nfkc",
            hard_vocab_limit=False,
            minloglevel=2,
        )
        model = sentencepiece_model_pb2.ModelProto()
        with open(folder + "/m.model", "rb") as f:
            model.ParseFromString(f.read())
    return model


def build(model, form):
    """form is split, as in the model's file; or what later converters write."""
    vocab = [(t, 0.0) for t in SPECIAL[:4]] + [(p.piece, p.score) for p in model.pieces[3:]] + [(SPECIAL[4], 0.0)]
    t = Tokenizer(models.Unigram(vocab, unk_id=3, byte_fallback=False))
    charsmap = normalizers.Precompiled(model.normalizer_spec.precompiled_charsmap)
    metaspace = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    if form == "split":
        t.normalizer = charsmap
        t.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), metaspace])
    else:
        steps = [charsmap]
        if form == "trim":
            steps.append(normalizers.Strip(left=False, right=True))
        if form != "plain":
            steps.append(normalizers.Replace(Regex(" {2,}"), "▁" if form == "trim" else " "))
        t.normalizer = normalizers.Sequence(steps)
        t.pre_tokenizer = metaspace
    t.post_processor = processors.TemplateProcessing(single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)])
    t.add_special_tokens([AddedToken(s, special=True, normalized=False) for s in SPECIAL])
    t.encode_special_tokens = True  # in text they are ordinary text
    return t


def texts():
    """Lines of the corpus, parts of them, and characters that are hard."""
    with open("corpus.txt", encoding="utf-8") as f:
        corpus = f.read()
    out = corpus.splitlines()[::3]
    r = random.Random(7)
    for _ in range(60):
        at = r.randrange(len(corpus))
        out.append(corpus[at : at + r.choice([3, 20, 80])])
    pools = [
        corpus,
        "\t\n\r\x0b \u00a0\u2000\u2028\u3000\u200b\u200d\ufeff\u00ad▁ab",
        "".join(map(chr, range(0x300))),
        "".join(map(chr, range(0x300, 0x370))) + "aeiouｅª´¨",
        "".join(map(chr, range(0x1F300, 0x1F700))) + "\u200d\ufe0f\U0001f3fd🇨🇭",
        "".join(map(chr, range(0x600, 0x700))),
        "".join(map(chr, range(0x900, 0x980))),
        "".join(map(chr, range(0xE00, 0xE80))),
        "".join(map(chr, range(0x1100, 0x1200))),
        "".join(map(chr, range(0xFB00, 0xFDFF))),
        "".join(map(chr, range(0xFF00, 0xFFEE))),
        "".join(map(chr, range(0x3000, 0x3400))),
    ]
    for _ in range(120):
        a, b = r.choice(pools), r.choice(pools)
        out.append("".join(r.choice(a if r.random() < 0.7 else b) for _ in range(r.choice([2, 5, 12, 40]))))
    for _ in range(20):
        out.append("".join(chr(c) for c in (r.randrange(0x110000) for _ in range(8)) if not 0xD800 <= c < 0xE000))
    out += [
        "",
        " ",
        "\n",
        "▁",
        "▁▁a▁ ▁b▁",
        "ﷺaﷺ",
        "a\u0323\u0302",
        "x \u0301y",
        "\r\n\u0301",
        "e" + "\u0301" * 40,
        "㍿㌔",
        "㍿" * 20,
        "\u3000\u0301a",
        " a  b ",
        "Ⅷ½℃",
        "\x00\x01",
        "ＡＢＣ",
        "ﬁne",
        "한글",
    ]
    return out


def digest(t):
    """Of the IDs of "x", a character and "Yo", for every character."""
    h = hashlib.sha256()
    chars = [chr(c) for c in range(0x110000) if not 0xD800 <= c < 0xE000]
    for i in range(0, len(chars), 10000):
        for e in t.encode_batch(["x" + c + "Yo" for c in chars[i : i + 10000]], add_special_tokens=False):
            h.update(b"".join(struct.pack("<I", n) for n in e.ids) + b"\n")
    return h.hexdigest()


def uniform(name, shape, low, high):
    """SplitMix64, seeded with the FNV-1a hash of the name: 24 bits a value."""
    seed = 0xCBF29CE484222325
    for b in name.encode():
        seed = (seed ^ b) * 0x100000001B3 % 2**64
    z = np.uint64(seed) + np.arange(1, math.prod(shape) + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return (low + (high - low) * ((z >> np.uint64(40)).astype(np.float64) / 2**24)).astype(np.float32).reshape(shape)


def parameters(rows, layers=2, width=384, inner=1536):
    """A model of rows word embeddings, more than it has tokens."""
    p = {}

    def add(name, *shape, low=-0.08, high=0.08):
        x = uniform(name, shape, low, high)
        if name.startswith("embeddings.word"):
            x = x.astype(np.float16)
        elif name.endswith("dense.bias"):  # bfloat16
            x = (x.view(np.uint32) >> np.uint32(16) << np.uint32(16)).view(np.float32)
        p[name] = x.astype(np.float64)

    def norm(name):
        add(name + ".weight", width, low=0.8, high=1.2)
        add(name + ".bias", width)

    def linear(name, i, o):
        add(name + ".weight", o, i)
        add(name + ".bias", o)

    add("embeddings.word_embeddings.weight", rows, width)
    add("embeddings.position_embeddings.weight", 512, width, low=-0.02, high=0.02)
    add("embeddings.token_type_embeddings.weight", 2, width, low=-0.02, high=0.02)
    norm("embeddings.LayerNorm")
    for n in range(layers):
        at = f"encoder.layer.{n}."
        for part in ["query", "key", "value"]:
            linear(at + "attention.self." + part, width, width)
        linear(at + "attention.output.dense", width, width)
        norm(at + "attention.output.LayerNorm")
        linear(at + "intermediate.dense", width, inner)
        linear(at + "output.dense", inner, width)
        norm(at + "output.LayerNorm")
    return p


def embed(p, ids, layers=2, heads=12):
    """The encoder of BERT with mean pooling (Devlin et al., 2018)."""

    def norm(x, name):
        d = x - x.mean(-1, keepdims=True)
        return d / np.sqrt((d * d).mean(-1, keepdims=True) + 1e-12) * p[name + ".weight"] + p[name + ".bias"]

    def linear(x, name):
        return x @ p[name + ".weight"].T + p[name + ".bias"]

    n = len(ids)
    x = p["embeddings.word_embeddings.weight"][ids] + p["embeddings.position_embeddings.weight"][:n] + p["embeddings.token_type_embeddings.weight"][0]
    x = norm(x, "embeddings.LayerNorm")
    for layer in range(layers):
        at = f"encoder.layer.{layer}."
        q, k, v = (linear(x, at + "attention.self." + s).reshape(n, heads, -1).transpose(1, 0, 2) for s in ["query", "key", "value"])
        scores = q @ k.transpose(0, 2, 1) / math.sqrt(q.shape[-1])
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        context = (scores / scores.sum(-1, keepdims=True) @ v).transpose(1, 0, 2).reshape(n, -1)
        x = norm(x + linear(context, at + "attention.output.dense"), at + "attention.output.LayerNorm")
        h = linear(x, at + "intermediate.dense")
        h = h * 0.5 * (1 + np.vectorize(math.erf)(h / math.sqrt(2)))
        x = norm(x + linear(h, at + "output.dense"), at + "output.LayerNorm")
    x = x.mean(0)
    return x / np.linalg.norm(x)


def main():
    model = train()
    tokenizers = {form: build(model, form) for form in ["split", "collapse", "trim", "plain"]}
    split = tokenizers["split"]
    split.save("t.json", pretty=False)
    with open("t.json", "rb") as f, open("tokenizer.json.gz", "wb") as out:
        out.write(gzip.compress(f.read(), 9, mtime=0))
    os.remove("t.json")

    golden = {"digest": digest(split), "rows": []}
    for text in texts():
        ids = {form: t.encode(text, add_special_tokens=False).ids for form, t in tokenizers.items()}
        if any(i != ids["split"] for i in ids.values()):
            golden["rows"].append({"text": text} | ids)
        else:
            golden["rows"].append({"text": text, "split": ids["split"]})
    with open("tokens.json", "w") as f:
        json.dump(golden, f, separators=(",", ":"))

    p = parameters(split.get_vocab_size() + 7)
    rows = []
    long = "花园每周需要浇两次水。" * 100
    for text in [
        "",
        "Who repaired the heating last winter?",
        "مي تيقن",
        "من أصلح التدفئة في الشتاء الماضي؟",
        "庭には週に二回水が必要です。",
        "สวนต้องการน้ำสัปดาห์ละสองครั้ง",
        "e\u0301\t😀  x",
        long,
    ]:
        for prefix in ["query: ", "passage: "]:
            ids = split.encode(prefix + text).ids
            ids = ids[:511] + ids[-1:] if len(ids) > 512 else ids
            rows.append({"prefix": prefix, "text": text, "vector": [round(v, 5) for v in embed(p, ids).tolist()]})
    with open("vectors.json", "w") as f:
        json.dump(rows, f, separators=(",", ":"))


if __name__ == "__main__":
    main()
