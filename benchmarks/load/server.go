package load

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"mneme/configs"
)

// stopTimeout is how long a server may take to shut down before it is killed.
const stopTimeout = 10 * time.Second

// server is a running `mneme serve`.
type server struct {
	address string // http://host:port
	dataDir string
	command *exec.Cmd
	log     *os.File
}

// startServer starts a server over a sandbox on a free port of this machine, and
// waits until it listens.
func startServer(ctx context.Context, program string, flags []string, config configs.Config) (_ *server, err error) {
	args := append([]string{
		"serve", "--json", "--addr", "127.0.0.1:0", "--data-dir", config.DataDir,
		"--storage", config.Storage, "--vector", config.Vector, "--embedder", config.Embedder,
	}, flags...)
	s := &server{dataDir: config.DataDir, command: exec.CommandContext(ctx, program, args...)} //nolint:gosec // the program that is measured
	if s.log, err = os.Create(filepath.Join(config.DataDir, "server.log")); err != nil {
		return nil, err
	}
	s.command.Stderr = s.log
	s.command.Env = append(os.Environ(), "MNEME_AUTH_LOCAL_KEY=on", "MNEME_MILVUS_PREFIX="+config.Milvus.Prefix)
	if config.Postgres.DSN != "" {
		s.command.Env = append(s.command.Env, "MNEME_POSTGRES_DSN="+string(config.Postgres.DSN))
	}
	s.command.Cancel = func() error {
		if s.command.Process.Signal(syscall.SIGTERM) == nil {
			return nil
		}
		return s.command.Process.Kill() // Windows has no other signal
	}
	s.command.WaitDelay = stopTimeout
	out, err := s.command.StdoutPipe()
	if err == nil {
		err = s.command.Start()
	}
	if err != nil {
		_ = s.log.Close() // nothing was written
		return nil, fmt.Errorf("start the server: %w", err)
	}
	var started struct {
		Address string `json:"address"`
	}
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &started)
	}
	if err != nil {
		s.stop()
		return nil, fmt.Errorf("the server did not start: %s", s.lastLog())
	}
	s.address = started.Address
	return s, nil
}

// stop shuts the server down.
func (s *server) stop() {
	_ = s.command.Cancel() // it may have ended by itself
	_ = s.command.Wait()   // its measurements are complete
	_ = s.log.Close()
}

// lastLog returns the last line that the server logged.
func (s *server) lastLog() string {
	text, err := os.ReadFile(s.log.Name())
	if err != nil {
		return "no log"
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return lines[len(lines)-1]
}

// usage is the resource usage of the server's process, as reported by Linux; zero
// if unknown.
type usage struct {
	cpu      time.Duration // of all processors, in user and system mode
	resident int64         // bytes; a page that several connections map counts once
}

// clockTick is the unit of times in /proc, which is the same on all Linux ports of Go.
const clockTick = 10 * time.Millisecond

func (s *server) usage() (u usage) {
	proc := filepath.Join("/proc", strconv.Itoa(s.command.Process.Pid))
	if stat, err := os.ReadFile(filepath.Join(proc, "stat")); err == nil {
		// The second field, in parentheses, may hold spaces.
		_, rest, _ := strings.Cut(string(stat), ") ")
		if fields := strings.Fields(rest); len(fields) > 12 {
			user, _ := strconv.ParseInt(fields[11], 10, 64)
			system, _ := strconv.ParseInt(fields[12], 10, 64)
			u.cpu = time.Duration(user+system) * clockTick
		}
	}
	if maps, err := os.ReadFile(filepath.Join(proc, "smaps_rollup")); err == nil {
		u.resident = proportional(string(maps))
	}
	return u
}

// proportional returns the proportional set size of a process in bytes, from the text of
// /proc/PID/smaps_rollup, or 0 if it is missing. See proc(5).
func proportional(maps string) int64 {
	for line := range strings.Lines(maps) {
		if size, ok := strings.CutPrefix(line, "Pss:"); ok {
			kib, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(size), " kB"), 10, 64)
			return kib << 10
		}
	}
	return 0
}
