// What programs see of the types: this file is checked, and does not run.

import { Agent } from "@mastra/core/agent";
import { generateText, wrapLanguageModel } from "ai";
import { memoryTools, recallMiddleware } from "mneme-memory/ai";
import { MnemeMemory } from "mneme-memory/mastra";

export async function program(model: Parameters<typeof wrapLanguageModel>[0]["model"]): Promise<void> {
  const tools = memoryTools({ namespace: "users.ada", url: process.env["MNEME_URL"], token: process.env["MNEME_TOKEN"] });
  const reading = memoryTools({ readOnly: true });
  // @ts-expect-error a model that only reads has no tools that write
  void reading.memory_save;
  const recalling = wrapLanguageModel({ model, middleware: recallMiddleware({ limit: 3, onError: console.error }) });
  const { steps } = await generateText({ model: recalling, tools, prompt: "Which tea?" });
  for (const result of steps.flatMap(({ toolResults }) => toolResults)) {
    if (!result.dynamic && result.toolName === "memory_search") console.log(result.output.results[0]?.content);
    // @ts-expect-error there is no such tool
    if (!result.dynamic && result.toolName === "memory_forget") console.log(result.input);
  }
  const memory = new MnemeMemory({ options: { lastMessages: 3, workingMemory: { enabled: true } } });
  // @ts-expect-error the name of an option is checked
  void new MnemeMemory({ options: { lastMessage: 3 } });
  void new Agent({ id: "a", name: "a", instructions: "Help.", model: "openai/gpt-5", memory });
}
