"""Stands in for the APIs of models: it takes what an SDK declares, calls the tools that it is told to, one a turn, and
then says that it is done. What it was sent is kept.
"""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Model:
    """An API of Gemini, OpenAI or Anthropic, by the path of a request. calls are (name, arguments) in their order."""

    def __init__(self, calls: list[tuple[str, dict]]) -> None:
        self.calls = calls
        self.requests: list[dict] = []
        model = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                model.requests.append(body)
                answer = json.dumps(model.answer(self.path)).encode()
                kind = "application/json"
                if body.get("stream"):
                    answer, kind = events(json.loads(answer)), "text/event-stream"
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answer(self, path: str) -> dict:
        turn = len(self.requests) - 1
        call = self.calls[turn] if turn < len(self.calls) else None
        if "generateContent" in path:
            return gemini(call)
        if path.endswith("/responses"):
            return responses(call, turn)
        return openai(call, turn) if path.endswith("/chat/completions") else anthropic(call, turn)


def gemini(call: tuple[str, dict] | None) -> dict:
    part = {"functionCall": {"name": call[0], "args": call[1]}} if call else {"text": "done"}
    return {"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}]}


def openai(call: tuple[str, dict] | None, turn: int) -> dict:
    message: dict = {"role": "assistant", "content": None if call else "done"}
    if call:
        function = {"name": call[0], "arguments": json.dumps(call[1])}
        message["tool_calls"] = [{"id": f"call_{turn}", "type": "function", "function": function}]
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if call else "stop"}
    return {"id": f"{turn}", "object": "chat.completion", "created": 0, "model": "stand-in", "choices": [choice]}


def responses(call: tuple[str, dict] | None, turn: int) -> dict:
    text = {"type": "output_text", "text": "done", "annotations": []}
    item: dict = {"type": "message", "id": f"msg_{turn}", "role": "assistant", "status": "completed", "content": [text]}
    if call:
        item = {"type": "function_call", "id": f"fc_{turn}", "call_id": f"call_{turn}", "name": call[0], "arguments": json.dumps(call[1])}
    return {
        "id": f"resp_{turn}",
        "object": "response",
        "created_at": 0,
        "model": "stand-in",
        "status": "completed",
        "output": [item],
        "parallel_tool_calls": False,
        "tool_choice": "auto",
        "tools": [],
    }


def events(answer: dict) -> bytes:
    """A chat completion of OpenAI as a stream of one event."""
    choice = answer["choices"][0]
    delta = choice.pop("message")
    for i, call in enumerate(delta.get("tool_calls", [])):
        call["index"] = i
    chunk = {**answer, "object": "chat.completion.chunk", "choices": [{**choice, "delta": delta}]}
    return f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n".encode()


def anthropic(call: tuple[str, dict] | None, turn: int) -> dict:
    block = {"type": "tool_use", "id": f"toolu_{turn}", "name": call[0], "input": call[1]} if call else {"type": "text", "text": "done"}
    return {
        "id": f"msg_{turn}",
        "type": "message",
        "role": "assistant",
        "model": "stand-in",
        "content": [block],
        "stop_reason": "tool_use" if call else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
