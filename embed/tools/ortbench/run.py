"""Runs an ONNX encoder for ortbench: one JSON request a line on stdin, one JSON
answer a line on stdout. A request is {"ids": [...], "times": n}; the answer
{"ms": [...], "vector": [...]}, the vector pooled and normalised by the mean."""

import json
import sys
import time

import numpy as np
import onnxruntime as ort

options = ort.SessionOptions()
options.intra_op_num_threads = int(sys.argv[2])
options.inter_op_num_threads = 1
clock = time.process_time_ns if sys.argv[2] == "1" else time.perf_counter_ns
session = ort.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])
print(json.dumps({"version": ort.__version__}), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    ids = np.array([request["ids"]], dtype=np.int64)
    feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
    took = []
    for _ in range(request["times"]):
        start = clock()
        hidden = session.run(None, feed)[0][0]
        vector = hidden.mean(0)
        vector /= np.linalg.norm(vector)
        took.append((clock() - start) / 1e6)
    print(json.dumps({"ms": took, "vector": vector.tolist()}), flush=True)
