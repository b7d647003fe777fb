package system

import (
	"os"

	"golang.org/x/sys/windows"
)

// ShowStyles makes a terminal show text styles, and reports whether it does: the console
// reads escape sequences only in its mode of virtual terminals.
func ShowStyles(terminal *os.File) bool {
	console := windows.Handle(terminal.Fd())
	var mode uint32
	if windows.GetConsoleMode(console, &mode) != nil {
		return false
	}
	return mode&windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING != 0 ||
		windows.SetConsoleMode(console, mode|windows.ENABLE_PROCESSED_OUTPUT|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
