package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"mneme/test/mnemetest"
	"mneme/test/wait"
)

// A script replaces xdg-open. The browser gets the printed link, but not the terminal's
// Ctrl-C.
func TestTheDemoOpensTheBrowser(t *testing.T) {
	t.Parallel()
	folder, temporary := t.TempDir(), t.TempDir()
	opened := filepath.Join(folder, "opened")
	stand := "#!/bin/sh\necho \"$(cut -d ' ' -f 5 /proc/$$/stat) $*\" >" + opened + ".new && mv " + opened + ".new " + opened + "\n"
	if err := os.WriteFile(filepath.Join(folder, "xdg-open"), []byte(stand), 0o700); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	command := exec.CommandContext(ctx, binary, "demo", "--addr", "127.0.0.1:0")
	command.Env = append(os.Environ(), "TMPDIR="+temporary, "DISPLAY=:99", "PATH="+folder+":"+os.Getenv("PATH"))
	var out mnemetest.Log
	command.Stdout = &out
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	wait.Until(t, "the browser is opened", func() error {
		_, err := os.Stat(opened)
		return err
	})
	text, err := os.ReadFile(opened)
	if err != nil {
		t.Fatal(err)
	}
	group, link, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	if !strings.Contains(link, "/console/#code=") || !strings.Contains(out.String(), link) {
		t.Errorf("the browser gets %q", link)
	}
	if own, err := syscall.Getpgid(command.Process.Pid); err != nil || group == strconv.Itoa(own) {
		t.Errorf("the browser is in the group %s of the demo, %v", group, err)
	}
	wait.Until(t, "the demo says so", func() error {
		if !strings.Contains(out.String(), "Your browser opens it") {
			return errors.New("not yet")
		}
		return nil
	})
	if err := command.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := command.Wait(); err != nil {
		t.Error(err)
	}
}
