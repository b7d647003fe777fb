"""Makes multilingual.json: texts, their token IDs by tokenizers, and their vectors in
double precision by the parameters that docs/models/multilingual-e5-small.md names.

    pip install numpy==2.4.6 safetensors==0.8.0 sentencepiece==0.2.3 tokenizers==0.23.3
    python multilingual.py FOLDER

FOLDER has model.safetensors and tokenizer.json.
"""

import json
import sys

import numpy as np
from golden import embed
from safetensors.numpy import load_file
from tokenizers import Tokenizer

TEXTS = [
    "query: Who repaired the heating last winter?",
    "passage: Der Heizkessel wurde im Januar von Frau Lindgren repariert; die Rechnung liegt im blauen Ordner.",
    "query: ¿Quién es alérgico a los cacahuetes?",
    "passage: 花园每周需要浇两次水，干燥的夏天要更多。",
    "passage: 庭には週に二回水が必要です。トマトはもっと。",
    "passage: สวนต้องการน้ำสัปดาห์ละสองครั้ง",
    "query: من أصلح التدفئة في الشتاء الماضي؟",
    "passage: यश को मूँगफली से एलर्जी है, उसके लिए अलग खाना बनाओ।",
    "passage: Потяг до Львова вирушає о сьомій сорок, місця біля вікна.",
    "passage: 회의는 목요일 세 시로 옮겨졌다 😀  ok",
    "query: cafe\u0301 ﬁne Ⅷ ½",
    "passage: git rebase --onto main topic~3 topic # keeps the last three commits",
]


def main(folder):
    p = {name: x.astype(np.float64) for name, x in load_file(folder + "/model.safetensors").items()}
    tokenizer = Tokenizer.from_file(folder + "/tokenizer.json")
    rows = []
    for text in TEXTS:
        ids = tokenizer.encode(text).ids
        rows.append({"text": text, "ids": ids, "vector": [round(v, 5) for v in embed(p, ids, layers=12).tolist()]})
    with open("multilingual.json", "w") as f:
        json.dump(rows, f, ensure_ascii=False, separators=(",", ":"))


if __name__ == "__main__":
    main(sys.argv[1])
