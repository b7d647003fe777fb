// Checks the tool without a model. MNEME_URL and MNEME_TOKEN name the server and
// the caller.
import { strict as assert } from "node:assert";
import { randomUUID } from "node:crypto";

import { ToolError } from "@anthropic-ai/sdk/lib/tools/ToolError";

import { mnemeMemoryTool } from "./memory-tool.js";

const tool = mnemeMemoryTool();
const folder = "/memories/check-" + randomUUID().slice(0, 13);
const tea = `${folder}/tea.md`, coffee = `${folder}/coffee.md`;
let checks = 0;

/** Calls the tool as the SDK's runner does, with the model's input. */
async function expect(command: object, ...texts: string[]): Promise<void> {
  let said: string;
  try {
    said = String(await tool.run(tool.parse(command)));
  } catch (e) {
    if (!(e instanceof ToolError)) throw e;
    said = `refused: ${e.content}`;
  }
  for (const text of texts) assert(said.includes(text), `${JSON.stringify(command)} answered ${JSON.stringify(said)}, which lacks ${JSON.stringify(text)}`);
  checks++;
}

assert.equal(tool.name, "memory");
await expect({ command: "view", path: "/memories" }, "Here're the files and directories");
await expect({ command: "create", path: tea, file_text: "Ben drinks tea.\nAt four.\n" }, `File created successfully at: ${tea}`);
await expect({ command: "create", path: tea, file_text: "again" }, "refused: ", `File ${tea} already exists`);
await expect({ command: "view", path: tea }, "     1\tBen drinks tea.\n     2\tAt four.");
await expect({ command: "view", path: tea, view_range: [2, -1] }, "     2\tAt four.");
await expect({ command: "str_replace", path: tea, old_str: "four", new_str: "five" }, "The memory file has been edited.");
await expect({ command: "str_replace", path: tea, old_str: "noon", new_str: "one" }, "refused: ", "did not appear verbatim");
await expect({ command: "insert", path: tea, insert_line: 0, insert_text: "# Drinks\n" }, `The file ${tea} has been edited.`);
await expect({ command: "view", path: tea }, "     1\t# Drinks", "     3\tAt five.");
await expect({ command: "rename", old_path: tea, new_path: coffee }, `Successfully renamed ${tea} to ${coffee}`);
await expect({ command: "view", path: folder }, coffee);
await expect({ command: "view", path: tea }, "refused: ", "does not exist");
await expect({ command: "view", path: "/memories/../etc/passwd" }, "refused: ");
await expect({ command: "delete", path: folder }, `Successfully deleted ${folder}`);
await expect({ command: "view", path: coffee }, "refused: ", `The path ${coffee} does not exist.`);
console.log(`${checks} checks hold`);
