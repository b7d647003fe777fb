package main

import (
	"context"
	"os"
	"os/exec"
	"runtime"
)

// browse opens a page in the user's browser, and reports whether it could start it. It
// does not wait for the browser to exit.
//
// The address is an argument of another program: other users of the machine can read it
// until the browser has used it.
func browse(ctx context.Context, address string) bool {
	name, args := pageOpener()
	if name == "" {
		return false
	}
	command := exec.CommandContext(context.WithoutCancel(ctx), name, append(args, address)...) //nolint:gosec // a constant
	detach(command)
	if command.Start() != nil {
		return false
	}
	go func() { _ = command.Wait() }() // the exit status does not matter
	return true
}

// pageOpener returns the system's command that opens a page, and its first arguments; ""
// without a graphical browser: xdg-open would start one in the terminal.
func pageOpener() (name string, args []string) {
	switch runtime.GOOS {
	case "windows":
		return "rundll32", []string{"url.dll,FileProtocolHandler"}
	case "darwin":
		return "open", nil
	}
	if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
		return "", nil
	}
	return "xdg-open", nil
}
