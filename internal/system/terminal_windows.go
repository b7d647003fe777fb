package system

import (
	"os"

	"golang.org/x/sys/windows"
)

// ShowStyles enables text styles of a terminal, and reports whether it supports them: the
// console interprets escape sequences only in virtual terminal mode.
func ShowStyles(terminal *os.File) bool {
	console := windows.Handle(terminal.Fd())
	var mode uint32
	if windows.GetConsoleMode(console, &mode) != nil {
		return false
	}
	return mode&windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING != 0 ||
		windows.SetConsoleMode(console, mode|windows.ENABLE_PROCESSED_OUTPUT|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
