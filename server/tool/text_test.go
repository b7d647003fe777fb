package tool_test

import (
	"strings"
	"testing"

	"mneme/memory"
	"mneme/server/tool"
)

// The texts are quoted from memory_20250818. Each case has its own store,
// calls to set it up, and one call with its answer.
func TestMemoryToolAnswersLikeTheAnthropicMemoryTool(t *testing.T) {
	type args = []any
	create := func(path, text string) args { return args{"command", "create", "path", path, "file_text", text} }
	poem := create("/memories/poem.txt", "one\ntwo\nthree\nfour\nfive\nsix\nseven")
	for name, c := range map[string]struct {
		before []args
		call   args
		text   string
		failed bool
	}{
		"view a file": {
			before: []args{create("/memories/notes.txt", "Hello\nWorld\n")},
			call:   args{"command", "view", "path", "/memories/notes.txt"},
			text:   "Here's the content of /memories/notes.txt with line numbers:\n     1\tHello\n     2\tWorld\n     3\t",
		},
		"view an empty file": {
			before: []args{create("/memories/empty", "")},
			call:   args{"command", "view", "path", "/memories/empty"},
			text:   "Here's the content of /memories/empty with line numbers:\n     1\t",
		},
		"view keeps tabs and blank lines, and shows no line ends": {
			before: []args{create("/memories/x", "a\tb\r\n\n c")},
			call:   args{"command", "view", "path", "/memories/x"},
			text:   "Here's the content of /memories/x with line numbers:\n     1\ta\tb\n     2\t\n     3\t c",
		},
		"view a range": {
			before: []args{poem},
			call:   args{"command", "view", "path", "/memories/poem.txt", "view_range", []int{2, 3}},
			text:   "Here's the content of /memories/poem.txt with line numbers:\n     2\ttwo\n     3\tthree",
		},
		"view a range to the end": {
			before: []args{poem},
			call:   args{"command", "view", "path", "/memories/poem.txt", "view_range", []int{6, -1}},
			text:   "Here's the content of /memories/poem.txt with line numbers:\n     6\tsix\n     7\tseven",
		},
		"a range that begins below 1 begins at 1": {
			before: []args{poem},
			call:   args{"command", "view", "path", "/memories/poem.txt", "view_range", []int{-5, 1}},
			text:   "Here's the content of /memories/poem.txt with line numbers:\n     1\tone",
		},
		"view a value that is no string": {
			before: []args{{"command", "create", "path", "/memories/json", "content", map[string]any{"a": []int{1}}}},
			call:   args{"command", "view", "path", "/memories/json"},
			text:   "Here's the content of /memories/json with line numbers:\n     1\t{\n     2\t  \"a\": [\n     3\t    1\n     4\t  ]\n     5\t}",
		},
		"view the empty root": {
			call: args{"command", "view", "path", "/memories"},
			text: "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:\n0B\t/memories",
		},
		"view the root by a trailing slash": {
			call: args{"command", "view", "path", "/memories/"},
			text: "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:\n0B\t/memories",
		},
		"view a directory": {
			before: []args{
				create("/memories/b.txt", strings.Repeat("x", 1536)),
				create("/memories/a/deep/deeper/deepest", "12345"),
				create("/memories/a/one", "1"),
				create("/memories/.hidden", "secret"),
				create("/memories/node_modules/x", "y"),
				create("/memories/a/.git/config", "z"),
				create("/memories/empty", ""),
			},
			call: args{"command", "view", "path", "/memories"},
			text: "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:\n" +
				"1.5K\t/memories\n" +
				"6B\t/memories/a/\n" +
				"5B\t/memories/a/deep/\n" +
				"1B\t/memories/a/one\n" +
				"1.5K\t/memories/b.txt\n" +
				"0B\t/memories/empty",
		},
		"view a directory below the root": {
			before: []args{create("/memories/a/b/c", "12"), create("/memories/ab", "x")},
			call:   args{"command", "view", "path", "/memories/a"},
			text: "Here're the files and directories up to 2 levels deep in /memories/a, excluding hidden items and node_modules:\n" +
				"2B\t/memories/a\n2B\t/memories/a/b/\n2B\t/memories/a/b/c",
		},
		"view what is missing": {
			call: args{"command", "view", "path", "/memories/none"}, failed: true,
			text: "The path /memories/none does not exist. Please provide a valid path.",
		},
		"view a directory that is missing": {
			call: args{"command", "view", "path", "/memories/none/"}, failed: true,
			text: "The path /memories/none does not exist. Please provide a valid path.",
		},
		"create": {
			call: create("/memories/a/b", "text"),
			text: "File created successfully at: /memories/a/b",
		},
		"create refuses to overwrite": {
			before: []args{create("/memories/a", "text")},
			call:   create("/memories/a", "other"), failed: true,
			text: "Error: File /memories/a already exists",
		},
		"create refuses a directory's name": {
			before: []args{create("/memories/a/b", "text")},
			call:   create("/memories/a", "other"), failed: true,
			text: "Error: File /memories/a already exists",
		},
		"str_replace": {
			before: []args{poem},
			call:   args{"command", "str_replace", "path", "/memories/poem.txt", "old_str", "four", "new_str", "4"},
			text:   "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n     2\ttwo\n     3\tthree\n     4\t4\n     5\tfive\n     6\tsix",
		},
		"str_replace with several lines": {
			before: []args{poem},
			call:   args{"command", "str_replace", "path", "/memories/poem.txt", "old_str", "one\ntwo", "new_str", "1\n2\n2a"},
			text:   "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n     1\t1\n     2\t2\n     3\t2a",
		},
		"str_replace of what is not there": {
			before: []args{poem},
			call:   args{"command", "str_replace", "path", "/memories/poem.txt", "old_str", "Four", "new_str", "4"}, failed: true,
			text: "No replacement was performed, old_str `Four` did not appear verbatim in /memories/poem.txt.",
		},
		"str_replace of what is there twice": {
			before: []args{create("/memories/a", "x\ny x x\nz\nx")},
			call:   args{"command", "str_replace", "path", "/memories/a", "old_str", "x", "new_str", "4"}, failed: true,
			text: "No replacement was performed. Multiple occurrences of old_str `x` in lines: 1, 2, 4. Please ensure it is unique",
		},
		"str_replace in a missing file": {
			call: args{"command", "str_replace", "path", "/memories/a", "old_str", "x", "new_str", "4"}, failed: true,
			text: "The path /memories/a does not exist. Please provide a valid path.",
		},
		"edit replaces the first occurrence": {
			before: []args{create("/memories/a", "x\nx")},
			call:   args{"action", "edit", "path", "/memories/a", "old_str", "x", "new_str", "y"},
			text:   "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n     1\ty\n     2\tx",
		},
		"edit refuses values that are no strings": {
			before: []args{{"command", "create", "path", "/memories/a", "content", []int{1}}},
			call:   args{"command", "edit", "path", "/memories/a", "old_str", "1", "new_str", "2"}, failed: true,
			text: "Error: The value of /memories/a is not text and cannot be edited; create it again with `content`",
		},
		"insert": {
			before: []args{poem},
			call:   args{"command", "insert", "path", "/memories/poem.txt", "insert_line", 2, "insert_text", "two and a half\n"},
			text:   "The file /memories/poem.txt has been edited.",
		},
		"insert beyond the end": {
			before: []args{poem},
			call:   args{"command", "insert", "path", "/memories/poem.txt", "insert_line", 8, "insert_text", "x"}, failed: true,
			text: "Error: Invalid `insert_line` parameter: 8. It should be within the range of lines of the file: [0, 7]",
		},
		"insert before the top": {
			before: []args{poem},
			call:   args{"command", "insert", "path", "/memories/poem.txt", "insert_line", -1, "insert_text", "x"}, failed: true,
			text: "Error: Invalid `insert_line` parameter: -1. It should be within the range of lines of the file: [0, 7]",
		},
		"insert into a missing file": {
			call: args{"command", "insert", "path", "/memories/a", "insert_line", 0, "insert_text", "x"}, failed: true,
			text: "The path /memories/a does not exist. Please provide a valid path.",
		},
		"delete": {
			before: []args{poem},
			call:   args{"command", "delete", "path", "/memories/poem.txt"},
			text:   "Successfully deleted /memories/poem.txt",
		},
		"delete a directory": {
			before: []args{create("/memories/a/b", "x"), create("/memories/a/c/d", "y")},
			call:   args{"command", "delete", "path", "/memories/a"},
			text:   "Successfully deleted /memories/a",
		},
		"delete what is missing": {
			call: args{"command", "delete", "path", "/memories/a"}, failed: true,
			text: "Error: The path /memories/a does not exist",
		},
		"delete the root": {
			call: args{"command", "delete", "path", "/memories"}, failed: true,
			text: "Cannot delete the /memories directory itself",
		},
		"delete the root by a trailing slash": {
			call: args{"command", "delete", "path", "/memories/"}, failed: true,
			text: "Cannot delete the /memories directory itself",
		},
		"rename": {
			before: []args{poem},
			call:   args{"command", "rename", "old_path", "/memories/poem.txt", "new_path", "/memories/a/poem"},
			text:   "Successfully renamed /memories/poem.txt to /memories/a/poem",
		},
		"rename by path and new_str": {
			before: []args{poem},
			call:   args{"action", "rename", "path", "/memories/poem.txt", "new_str", "/memories/a/poem"},
			text:   "Successfully renamed /memories/poem.txt to /memories/a/poem",
		},
		"rename a directory": {
			before: []args{create("/memories/a/b", "x")},
			call:   args{"command", "rename", "old_path", "/memories/a", "new_path", "/memories/b"},
			text:   "Successfully renamed /memories/a to /memories/b",
		},
		"rename onto an entry": {
			before: []args{create("/memories/a", "x"), create("/memories/b", "y")},
			call:   args{"command", "rename", "old_path", "/memories/a", "new_path", "/memories/b"}, failed: true,
			text: "Error: The destination /memories/b already exists",
		},
		"rename onto a directory": {
			before: []args{create("/memories/a", "x"), create("/memories/b/c", "y")},
			call:   args{"command", "rename", "old_path", "/memories/a", "new_path", "/memories/b"}, failed: true,
			text: "Error: The destination /memories/b already exists",
		},
		"rename a directory onto a directory": {
			before: []args{create("/memories/a/x", "x"), create("/memories/b/c", "y")},
			call:   args{"command", "rename", "old_path", "/memories/a/", "new_path", "/memories/b/"}, failed: true,
			text: "Error: The destination /memories/b already exists",
		},
		"rename onto itself": {
			before: []args{create("/memories/a", "x")},
			call:   args{"command", "rename", "old_path", "/memories/a", "new_path", "/memories/a"}, failed: true,
			text: "Error: The destination /memories/a already exists",
		},
		"rename what is missing": {
			call: args{"command", "rename", "old_path", "/memories/a", "new_path", "/memories/b"}, failed: true,
			text: "Error: The path /memories/a does not exist",
		},
		"rename the root": {
			call: args{"command", "rename", "old_path", "/memories", "new_path", "/memories/b"}, failed: true,
			text: "Cannot rename the /memories directory itself",
		},
		"a path elsewhere": {
			call: args{"command", "view", "path", "/etc/passwd"}, failed: true,
			text: "Path must start with /memories, got: /etc/passwd",
		},
		"a path that leads out": {
			call: args{"command", "view", "path", "/memories/../etc/passwd"}, failed: true,
			text: "Path /memories/../etc/passwd would escape /memories directory",
		},
		"create with content overwrites": {
			before: []args{create("/memories/a", "x")},
			call:   args{"command", "create", "path", "/memories/a", "content", "y"},
			text:   "File overwritten successfully at: /memories/a",
		},
		"an unknown command": {
			call: args{"command", "purge", "path", "/memories"}, failed: true,
			text: "Error: Unknown command: purge",
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t)
			for _, call := range c.before {
				h.must(alice, "memory", call...)
			}
			got := h.try(alice, "memory", c.call...)
			if got.Text != c.text || got.IsError != c.failed {
				t.Errorf("is_error %v\n%s\nwant %v\n%s", got.IsError, got.Text, c.failed, c.text)
			}
		})
	}
}

func TestViewRefusesMoreThan999999Lines(t *testing.T) {
	h := openWith(t, memory.Limits{Value: 3 << 20}, tool.Options{})
	for lines, refused := range map[int]bool{999_999: false, 1_000_000: true} {
		h.put(alice, "alice", "long", `"`+strings.Repeat(`\n`, lines-1)+`"`) // and the last, empty one
		got := h.try(alice, "memory", "command", "view", "path", "/memories/long")
		if got.IsError != refused {
			t.Errorf("%d lines: is_error %v", lines, got.IsError)
		}
		if refused && got.Text != "File /memories/long exceeds maximum line limit of 999,999 lines." {
			t.Error(got.Text)
		}
	}
}

func TestInsertAddsWholeLinesAfterALine(t *testing.T) {
	for _, c := range []struct {
		text, insert, want string
		line               int
	}{
		{"a\nb", "x", "x\na\nb", 0},
		{"a\nb", "x", "a\nx\nb", 1},
		{"a\nb", "x", "a\nb\nx", 2},
		{"a\nb\n", "x", "a\nb\nx\n", 2},
		{"a\nb\n", "x\n", "a\nb\nx\n", 2},
		{"a\nb\n", "x\ny\n", "a\nx\ny\nb\n", 1},
		{"a\r\nb", "x", "a\r\nx\r\nb", 1},
		{"", "x", "x\n", 0},
		{"a", "", "\na", 0},
	} {
		h := open(t)
		h.must(alice, "memory", "command", "create", "path", "/memories/a", "file_text", c.text)
		h.must(alice, "memory", "command", "insert", "path", "/memories/a", "insert_line", c.line, "insert_text", c.insert)
		if got := h.value(alice, "alice", "a"); got != string(must(t, c.want)) {
			t.Errorf("%q after line %d of %q: %s, want %q", c.insert, c.line, c.text, got, c.want)
		}
	}
}

func TestSizesHaveUnitsOf1024AndOneDecimal(t *testing.T) {
	h := openWith(t, memory.Limits{Value: 4 << 20}, tool.Options{})
	for size, want := range map[int]string{0: "0B", 1: "1B", 1023: "1023B", 1024: "1K", 1536: "1.5K", 2 << 20: "2M", 5 << 19: "2.5M"} {
		h.put(alice, "alice", "x", `"`+strings.Repeat("x", size)+`"`)
		text := h.must(alice, "memory", "command", "view", "path", "/memories")
		if !strings.HasSuffix(text, "\n"+want+"\t/memories/x") {
			t.Errorf("%d bytes: %s", size, text)
		}
	}
}
