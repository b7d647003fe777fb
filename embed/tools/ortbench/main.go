// Command ortbench compares the speed of the encoder with that of ONNX Runtime, on the same
// texts, one text at a time and with the same number of cores. ONNX Runtime runs the model in
// fp32 and, if one is given, a quantized model in int8. The rounds of all alternate, so that
// other load on the machine affects all equally; the results are medians. On one core it
// measures processor time, which other processes disturb least, otherwise wall-clock time. The
// fp32 model is the one from which the weights were packed; ONNX Runtime quantizes it to int8,
// with activations quantized dynamically.
//
//	pip install onnxruntime numpy onnx
//	python -c 'from onnxruntime.quantization import quantize_dynamic as q; q("e5-small-v2.onnx", "int8.onnx")'
//	GOMAXPROCS=1 go run ./embed/tools/ortbench -onnx e5-small-v2.onnx -int8 int8.onnx
package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"mneme/embed/e5"
	"mneme/internal/system"
)

//go:embed run.py
var script string

func main() {
	onnx := flag.String("onnx", os.Getenv("MNEME_E5_ONNX"), "the fp32 model (or variable MNEME_E5_ONNX)")
	int8 := flag.String("int8", "", "the same model, quantized dynamically")
	python := flag.String("python", "python3", "a Python with onnxruntime and numpy")
	rounds := flag.Int("rounds", 25, "rounds of each")
	lengths := flag.String("tokens", "8,12,16,32,64,128,256,512", "lengths of the texts in tokens")
	flag.Parse()
	if err := run(*onnx, *int8, *python, *lengths, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "ortbench:", err)
		os.Exit(1)
	}
}

func run(onnx, int8, python, lengths string, rounds int) error {
	if onnx == "" {
		return fmt.Errorf("-onnx or MNEME_E5_ONNX must name the model")
	}
	cores := runtime.GOMAXPROCS(0)
	models := []string{onnx}
	if int8 != "" {
		models = append(models, int8)
	}
	var peers []*peer
	for _, model := range models {
		p, err := startPeer(python, model, cores)
		if err != nil {
			return err
		}
		defer p.stop()
		peers = append(peers, p)
	}
	e, err := e5.New(e5.Options{})
	if err != nil {
		return err
	}
	clock := "time on the clock"
	if cores == 1 {
		clock = "processor time"
	}
	fmt.Printf("ONNX Runtime %s, mneme %s, %d core(s), medians of %d rounds, %s\n\n", peers[0].version, e.Kernels(), cores, rounds, clock)
	fmt.Print("| tokens | mneme ms |")
	for _, precision := range []string{"fp32", "int8"}[:len(peers)] {
		fmt.Printf(" ONNX Runtime %s ms | mneme / %s | cosine |", precision, precision)
	}
	fmt.Println("\n|---:|---:|" + strings.Repeat("---:|---:|---:|", len(peers)))
	for field := range strings.SplitSeq(lengths, ",") {
		n, err := strconv.Atoi(field)
		if err != nil {
			return err
		}
		if err := compare(e, peers, n, rounds); err != nil {
			return err
		}
	}
	return nil
}

// compare prints the row of one text length.
func compare(e *e5.Encoder, peers []*peer, tokens, rounds int) error {
	text := textOf(e, tokens)
	ids := e.QueryTokens(text)
	const times = 4
	theirs, cosines := make([][]float64, len(peers)), make([]float64, len(peers))
	var ours []float64
	for range rounds + 1 {
		answers := make([]answer, len(peers))
		for i, peer := range peers {
			var err error
			if answers[i], err = peer.embed(ids, times); err != nil {
				return err
			}
			theirs[i] = append(theirs[i], answers[i].MS[1:]...)
		}
		b := answer{}
		for range times {
			start := now()
			query, err := e.Query(context.Background(), text)
			if err != nil {
				return err
			}
			b.Vector = query.Vector
			b.MS = append(b.MS, float64(now()-start)/1e6)
		}
		// The first run of each turn does not count: until then the caches hold the data of the
		// others.
		ours = append(ours, b.MS[1:]...)
		for i := range answers {
			cosines[i] = dot(answers[i].Vector, b.Vector)
		}
	}
	warm := times - 1
	took := median(ours[warm:])
	fmt.Printf("| %d | %.2f |", len(ids), took)
	for i := range peers {
		x := median(theirs[i][warm:])
		fmt.Printf(" %.2f | %.2f | %.5f |", x, took/x, cosines[i])
	}
	fmt.Println()
	return nil
}

// now returns the time: processor time on one core, otherwise wall-clock time.
func now() time.Duration {
	if runtime.GOMAXPROCS(0) > 1 {
		return time.Since(began)
	}
	return system.ProcessTime()
}

var began = time.Now()

// textOf returns an English text of the given number of tokens.
func textOf(e *e5.Encoder, tokens int) string {
	words := strings.Fields("the meeting with our supplier moved to next thursday because the new office opens late and everyone wants to see the garden before winter comes")
	text := words[0]
	for i := 1; len(e.QueryTokens(text)) < tokens; i++ {
		text += " " + words[i%len(words)]
	}
	return text
}

type answer struct {
	MS     []float64 `json:"ms"`
	Vector []float32 `json:"vector"`
}

// peer is ONNX Runtime in a Python process.
type peer struct {
	version string
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

func startPeer(python, onnx string, threads int) (*peer, error) {
	p := &peer{cmd: exec.Command(python, "-c", script, onnx, strconv.Itoa(threads))}
	p.cmd.Stderr = os.Stderr
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	var hello struct{ Version string }
	if err := p.read(&hello); err != nil {
		return nil, fmt.Errorf("starting ONNX Runtime: %w", err)
	}
	p.version = hello.Version
	return p, nil
}

func (p *peer) embed(ids []int32, times int) (a answer, err error) {
	request, err := json.Marshal(map[string]any{"ids": ids, "times": times})
	if err != nil {
		return a, err
	}
	if _, err := p.in.Write(append(request, '\n')); err != nil {
		return a, err
	}
	return a, p.read(&a)
}

func (p *peer) read(v any) error {
	line, err := p.out.ReadBytes('\n')
	if err != nil {
		return err
	}
	return json.Unmarshal(line, v)
}

func (p *peer) stop() {
	p.in.Close()
	_ = p.cmd.Wait() // it exits at the end of its input
}

func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}

func dot(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum / math.Sqrt(norm(a)*norm(b))
}

func norm(a []float32) (sum float64) {
	for _, v := range a {
		sum += float64(v) * float64(v)
	}
	return sum
}
