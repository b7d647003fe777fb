// The AI SDK's own mock model, which makes calls of tools, one a turn, and then says "done".

import { MockLanguageModelV4, simulateReadableStream } from "ai/test";

type Model = InstanceType<typeof MockLanguageModelV4>;
type Generated = Exclude<Awaited<ReturnType<Model["doGenerate"]>>, unknown[]>;
type Part = Awaited<ReturnType<Model["doStream"]>>["stream"] extends ReadableStream<infer P> ? P : never;

export type Call = [tool: string, input: object];

const usage: Generated["usage"] = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 },
};

export function model(calls: Call[] = []): Model {
  let turn = 0;
  return new MockLanguageModelV4({
    doGenerate: async () => answer(calls[turn], turn++),
    doStream: async () => ({ stream: simulateReadableStream({ chunks: parts(answer(calls[turn], turn++)) }) }),
  });
}

/** What a model was sent, a prompt a turn, as JSON. */
export const prompts = (sent: Model): string[] => [...sent.doGenerateCalls, ...sent.doStreamCalls].map(({ prompt }) => JSON.stringify(prompt));

function answer(call: Call | undefined, turn: number): Generated {
  if (!call) return { content: [{ type: "text", text: "done" }], finishReason: { unified: "stop", raw: "stop" }, usage, warnings: [] };
  const [toolName, input] = call;
  const content: Generated["content"] = [{ type: "tool-call", toolCallId: `call-${turn}`, toolName, input: JSON.stringify(input) }];
  return { content, finishReason: { unified: "tool-calls", raw: "tool_calls" }, usage, warnings: [] };
}

function parts({ content, finishReason }: Generated): Part[] {
  const said = content.flatMap((part): Part[] => {
    if (part.type === "tool-call") return [part];
    if (part.type !== "text") return [];
    return [{ type: "text-start", id: "1" }, { type: "text-delta", id: "1", delta: part.text }, { type: "text-end", id: "1" }];
  });
  return [{ type: "stream-start", warnings: [] }, ...said, { type: "finish", finishReason, usage }];
}
