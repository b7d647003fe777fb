package harness

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"mneme/configs"
)

// readyEvery is the interval at which WaitReady asks.
const readyEvery = 2 * time.Millisecond

// stopTimeout is how long a server may take to shut down before it is killed.
const stopTimeout = 10 * time.Second

// Server is a running `mneme serve`. Stop it after use.
type Server struct {
	Address string // http://host:port
	DataDir string
	command *exec.Cmd
	log     *os.File
}

// StartServer starts a server over a sandbox on a free port of this machine, and
// waits until it listens.
func StartServer(ctx context.Context, program string, flags []string, config configs.Config) (_ *Server, err error) {
	args := append([]string{
		"serve", "--json", "--addr", "127.0.0.1:0", "--data-dir", config.DataDir,
		"--storage", config.Storage, "--vector", config.Vector, "--embedder", config.Embedder,
	}, flags...)
	s := &Server{DataDir: config.DataDir, command: exec.CommandContext(ctx, program, args...)} //nolint:gosec // the program that is measured
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
		s.Stop()
		return nil, fmt.Errorf("the server did not start: %s", s.lastLog())
	}
	s.Address = started.Address
	return s, nil
}

// WaitReady waits until /readyz answers 200. The deadline of ctx bounds the wait.
func (s *Server) WaitReady(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.Address+"/readyz", nil)
	if err != nil {
		return err
	}
	tick := time.NewTicker(readyEvery)
	defer tick.Stop()
	for {
		if response, err := http.DefaultClient.Do(request); err == nil {
			_ = response.Body.Close() // only the status is of interest
			if response.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the server is not ready: %w: %s", ctx.Err(), s.lastLog())
		case <-tick.C:
		}
	}
}

// Stop shuts the server down.
func (s *Server) Stop() {
	_ = s.command.Cancel() // it may have ended by itself
	_ = s.command.Wait()   // its measurements are complete
	_ = s.log.Close()
}

// lastLog returns the last line that the server logged.
func (s *Server) lastLog() string {
	text, err := os.ReadFile(s.log.Name())
	if err != nil {
		return "no log"
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return lines[len(lines)-1]
}

// Usage is the resource usage of the server's process, as reported by Linux; zero
// if unknown.
type Usage struct {
	CPU      time.Duration // of all processors, in user and system mode
	Resident int64         // bytes; a page that several connections map counts once
}

// clockTick is the unit of times in /proc, which is the same on all Linux ports of Go.
const clockTick = 10 * time.Millisecond

// Usage returns the resource usage since the server started.
func (s *Server) Usage() (u Usage) {
	proc := filepath.Join("/proc", strconv.Itoa(s.command.Process.Pid))
	if stat, err := os.ReadFile(filepath.Join(proc, "stat")); err == nil {
		// The second field, in parentheses, may hold spaces.
		_, rest, _ := strings.Cut(string(stat), ") ")
		if fields := strings.Fields(rest); len(fields) > 12 {
			user, _ := strconv.ParseInt(fields[11], 10, 64)
			system, _ := strconv.ParseInt(fields[12], 10, 64)
			u.CPU = time.Duration(user+system) * clockTick
		}
	}
	u.Resident = ResidentBytes(strconv.Itoa(s.command.Process.Pid))
	return u
}

// ResidentBytes returns the resident memory of a process, which is named as in /proc:
// "self", or its id. A page that several connections map counts once. It returns 0 if
// unknown.
func ResidentBytes(process string) int64 {
	maps, err := os.ReadFile(filepath.Join("/proc", process, "smaps_rollup"))
	if err != nil {
		return 0
	}
	return proportional(string(maps))
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
