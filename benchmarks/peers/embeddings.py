"""A server with the OpenAI embeddings API that answers with precomputed vectors."""

import http.server
import json
import threading


class Embeddings:
    """Serves the vectors of a collection's texts and queries on loopback, until close()."""

    def __init__(self, collection):
        vectors = {}
        for texts, rows in ((collection.texts, collection.vectors), (collection.queries, collection.query_vectors)):
            vectors.update(zip(texts, rows))

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self):
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                # An unknown text (a probe) gets an arbitrary vector.
                known = [vectors.get(text, collection.vectors[0]) for text in asked["input"]]
                data = [{"object": "embedding", "index": n, "embedding": v.tolist()} for n, v in enumerate(known)]
                answer = json.dumps(
                    {"object": "list", "model": asked["model"], "data": data, "usage": {"prompt_tokens": 0, "total_tokens": 0}}
                ).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
