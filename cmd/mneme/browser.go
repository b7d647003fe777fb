package main

import (
	"context"
	"os"
	"os/exec"
	"runtime"
)

// browse starts the user's browser with a page, and reports whether it could. The browser
// runs on by itself.
//
// The address is an argument of another program, which other users of the machine can
// read until the browser has used it.
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
	go func() { _ = command.Wait() }() // it has no say
	return true
}

// pageOpener returns the system's command that opens a page, and its first arguments; ""
// where there is no browser with windows: xdg-open would start one in the terminal.
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
