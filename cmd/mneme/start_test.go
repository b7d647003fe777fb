package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"mneme/benchmarks/harness"
	"mneme/cmd/compose"
	"mneme/configs"
	"mneme/indexer"
	"mneme/internal/workload"
	"mneme/memory"
	"mneme/test/mnemetest"
)

var (
	startEntries = flag.Int("start-entries", 0, "BenchmarkStart: `number` of entries, 100 a store")
	startRest    = flag.Duration("start-rest", 0, "BenchmarkStart: how long the server rests before its memory is read")
)

// BenchmarkStart starts the program with a database and measures the time, and the
// processor time, until /readyz answers 200; then the first search in a store of 100
// entries; and finally the resident memory. On a busy machine, compare the processor time.
//
//	go test ./cmd/mneme -run '^$' -bench Start -benchtime 10x -start-entries 100000
func BenchmarkStart(b *testing.B) {
	dir := b.TempDir()
	fillDatabase(b, dir, *startEntries)
	var cpu, first time.Duration
	var resident int
	b.ResetTimer()
	for range b.N {
		server := mnemetest.Start(b, exec.Command(binary, "serve", "--addr", "127.0.0.1:0", "--data-dir", dir, "--json"))
		fetch(b, "GET", server.Address+"/readyz", "", "")
		b.StopTimer()
		cpu += processorTime(b, server.PID())
		token, err := exec.Command(binary, "token", "--agent", "agent-0", "--data-dir", dir).Output()
		if err != nil {
			b.Fatal(err)
		}
		start := time.Now()
		answer := fetch(b, "POST", server.Address+"/v1/search", strings.TrimSpace(string(token)), `{"query": "what do I drink in the afternoon?"}`)
		first += time.Since(start)
		if !strings.Contains(answer, `"degraded":[]`) {
			b.Error("the first search was degraded")
		}
		time.Sleep(*startRest)
		resident += residentKilobytes(b, server.PID())
		server.End(b, syscall.SIGTERM)
		b.StartTimer()
	}
	b.ReportMetric(cpu.Seconds()*1000/float64(b.N), "cpu-ms/start")
	b.ReportMetric(first.Seconds()*1000/float64(b.N), "ms/first-search")
	b.ReportMetric(float64(resident)/1024/float64(b.N), "resident-MB")
}

// fillDatabase writes generated memories with synthetic vectors under the
// fingerprint of the built-in model.
func fillDatabase(b *testing.B, dir string, entries int) {
	b.Helper()
	config := configs.Default()
	config.DataDir = dir
	log := slog.New(slog.DiscardHandler)
	ctx := b.Context()
	models, err := compose.OpenModels(config, log)
	if err != nil {
		b.Fatal(err)
	}
	synthetic, err := workload.NewSynthetic(ctx, models.Main[0].Embedder)
	if err != nil {
		b.Fatal(err)
	}
	model := models.Main[0]
	model.Embedder = synthetic.AsModel()
	instance, err := compose.OpenWith(ctx, config, log, compose.Models{Main: []indexer.Model{model}})
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		if err := instance.Close(); err != nil {
			b.Error(err)
		}
	}()
	var quiet harness.Progress
	for at := 0; at < entries; at += 100 {
		var batch []memory.PutRequest
		for i := at; i < min(entries, at+100); i++ {
			batch = append(batch, harness.NewText(fmt.Sprintf("agent-%d", at/100), fmt.Sprintf("memory/%07d", i), workload.NewMemory(1, i).Text()))
		}
		if err := harness.Write(ctx, instance.Service, batch, quiet.Start(0, "")); err != nil {
			b.Fatal(err)
		}
	}
	if err := instance.Drain(ctx, nil); err != nil {
		b.Fatal(err)
	}
}

// fetch makes a request that must succeed and returns the body of the answer.
func fetch(b *testing.B, method, url, token, body string) string {
	b.Helper()
	request, err := http.NewRequestWithContext(context.Background(), method, url, strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		b.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		b.Fatalf("%s: %d %s %v", url, response.StatusCode, content, err)
	}
	return string(content)
}

// processorTime returns the processor time of all threads of a process; 0 if the kernel
// does not report it.
func processorTime(b *testing.B, pid int) time.Duration {
	b.Helper()
	tasks := fmt.Sprintf("/proc/%d/task", pid)
	threads, _ := os.ReadDir(tasks)
	var sum time.Duration
	for _, thread := range threads {
		stat, _ := os.ReadFile(tasks + "/" + thread.Name() + "/schedstat") // it may have ended
		if fields := strings.Fields(string(stat)); len(fields) > 0 {
			ran, _ := strconv.ParseInt(fields[0], 10, 64)
			sum += time.Duration(ran)
		}
	}
	return sum
}

// residentKilobytes returns the resident memory of a process, counting a page that several
// connections map once (the proportional set size of proc(5)); 0 if the kernel does not
// report it.
func residentKilobytes(b *testing.B, pid int) int {
	b.Helper()
	maps, _ := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	for line := range strings.Lines(string(maps)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "Pss:" {
			n, err := strconv.Atoi(fields[1])
			if err != nil {
				b.Fatal(err)
			}
			return n
		}
	}
	return 0
}
