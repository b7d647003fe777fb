import unittest

import blocks


def shells_of(text: str) -> tuple[list[str], list[str]]:
    left_out: list[str] = []
    found = (m for m in blocks.BLOCK.finditer(text) if m["language"] == "sh")
    return [blocks.shell_of(m, left_out) for m in found], left_out


class Blocks(unittest.TestCase):
    def test_only_shell_is_run(self) -> None:
        self.assertEqual(shells_of("```json\n{}\n```\n\n```sh\necho a\n```\n"), (["echo a\n"], []))

    def test_marks_change_what_is_run(self) -> None:
        for marks, text, shell, left_out in [
            ("skip (needs a key)", "echo a\n", "", ["needs a key"]),
            ('leave out "b" (it waits)', "echo a\necho b\n", "echo a\n", ["it waits"]),
            ('in the background "serve"', "mneme serve  # until it is ended\necho a\n", "mneme serve &\necho a\n", []),
            ("first echo before", "echo a\n", "echo before\necho a\n", []),
            ("NAME=me", "echo NAME\n", "NAME=me\necho ${NAME}\n", []),
        ]:
            self.assertEqual(shells_of(f"<!-- shell: {marks} -->\n```sh\n{text}```\n"), ([shell], left_out), marks)

    def test_a_mark_that_fits_nothing_is_an_error(self) -> None:
        for marks in ('leave out "c"', 'in the background "echo"', "NAME=me", "later"):
            with self.assertRaises(blocks.Unclear, msg=marks):
                shells_of(f"<!-- shell: {marks} -->\n```sh\necho a\necho b\n```\n")


if __name__ == "__main__":
    unittest.main()
