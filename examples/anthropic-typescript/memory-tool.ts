// Anthropic's memory tool (memory_20250818) with its files in mneme. Give
// mnemeMemoryTool() to client.beta.messages.toolRunner({ tools: […] }): the SDK
// calls it for every command of the model, and it forwards each to mneme's tool
// of the same name, whose texts are the ones that the model was trained on.
import { betaMemoryTool, type MemoryToolHandlers } from "@anthropic-ai/sdk/helpers/beta/memory";
import { ToolError } from "@anthropic-ai/sdk/lib/tools/ToolError";

export type Options = { url?: string; token?: string };

/** The token determines whose memories these are; no command of the model can change that. */
export function mnemeMemoryTool(options: Options = {}): ReturnType<typeof betaMemoryTool> {
  return betaMemoryTool(mnemeMemoryHandlers(options));
}

export function mnemeMemoryHandlers(options: Options = {}): MemoryToolHandlers {
  const { url = process.env.MNEME_URL ?? "http://127.0.0.1:7077", token = process.env.MNEME_TOKEN } = options;
  const handOn = async (command: object): Promise<string> => {
    const response = await fetch(`${url}/v1/tools/memory`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: JSON.stringify(command),
    });
    if (!response.ok) throw new Error(`mneme answered ${response.status}`); // not for the model to fix
    const result = (await response.json()) as { content: string; is_error: boolean };
    if (result.is_error) throw new ToolError(result.content); // the SDK passes it to the model, with is_error
    return result.content;
  };
  return { view: handOn, create: handOn, str_replace: handOn, insert: handOn, delete: handOn, rename: handOn };
}
