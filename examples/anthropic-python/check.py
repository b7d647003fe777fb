"""Checks the tool without a model. MNEME_URL and MNEME_TOKEN name the server and the caller."""

import uuid

from anthropic.tools import ToolError
from memory_tool import MnemeMemoryTool

tool = MnemeMemoryTool()
folder = "/memories/check-" + uuid.uuid4().hex[:12]
tea, coffee = f"{folder}/tea.md", f"{folder}/coffee.md"
checks = 0


def expect(command: dict[str, object], *texts: str) -> None:
    """Calls the tool as the SDK's runner does, with the model's input."""
    global checks
    checks += 1
    try:
        said = str(tool.call(command))
    except ToolError as refused:
        said = "refused: " + str(refused.content)
    for text in texts:
        if text not in said:
            raise SystemExit(f"{command} answered {said!r}, which lacks {text!r}")


if tool.to_dict() != {"type": "memory_20250818", "name": "memory"}:
    raise SystemExit("the definition is not that of memory_20250818")
expect({"command": "view", "path": "/memories"}, "Here're the files and directories")
expect({"command": "create", "path": tea, "file_text": "Ada drinks tea.\nAt four.\n"}, f"File created successfully at: {tea}")
expect({"command": "create", "path": tea, "file_text": "again"}, "refused: ", f"File {tea} already exists")
expect({"command": "view", "path": tea}, "     1\tAda drinks tea.\n     2\tAt four.")
expect({"command": "view", "path": tea, "view_range": [2, -1]}, "     2\tAt four.")
expect({"command": "str_replace", "path": tea, "old_str": "four", "new_str": "five"}, "The memory file has been edited.")
expect({"command": "str_replace", "path": tea, "old_str": "noon", "new_str": "one"}, "refused: ", "did not appear verbatim")
expect({"command": "insert", "path": tea, "insert_line": 0, "insert_text": "# Drinks\n"}, f"The file {tea} has been edited.")
expect({"command": "view", "path": tea}, "     1\t# Drinks", "     3\tAt five.")
expect({"command": "rename", "old_path": tea, "new_path": coffee}, f"Successfully renamed {tea} to {coffee}")
expect({"command": "view", "path": folder}, coffee)
expect({"command": "view", "path": tea}, "refused: ", "does not exist")
expect({"command": "view", "path": "/memories/../etc/passwd"}, "refused: ")
expect({"command": "delete", "path": folder}, f"Successfully deleted {folder}")
expect({"command": "view", "path": coffee}, "refused: ", f"The path {coffee} does not exist.")
print(f"{checks} checks hold")
