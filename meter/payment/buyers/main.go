// Command payments tests that real clients of x402 and MPP can buy searches from mneme. It runs
// the server, and fakes of a facilitator and a card processor that move no money:
//
//	payments BINARY PYTHON NODE WEBAGENTS
//
// BINARY is mneme. PYTHON is a Python interpreter with the package x402[evm,httpx,requests] of
// PyPI, which runs the Python client. NODE is a folder with the packages @x402/fetch, @x402/evm
// and viem of npm, in which the TypeScript client runs. Each client buys one search by scheme
// exact and one by scheme upto. The command fails unless the client gets its hits and the right
// amount is settled. WEBAGENTS is a Python interpreter with the package webagents of PyPI,
// whose buyer pays by MPP with a card.
package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mneme/meter/payment/paymenttest"
)

const (
	clientTimeout = time.Minute
	searchPrice   = 1_000
	entryPrice    = 500
	entries       = 3
	fullPrice     = searchPrice + 10*entryPrice
	cost          = searchPrice + entries*entryPrice
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 5 {
		log.Fatal("usage: payments BINARY PYTHON NODE WEBAGENTS")
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3], os.Args[4]); err != nil {
		log.Fatal(err)
	}
}

func run(binary, python, node, webagents string) error {
	dir, err := os.MkdirTemp("", "payments")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	fake := paymenttest.New()
	defer fake.Close()
	platform := paymenttest.NewPlatform()
	defer platform.Close()
	shop, stop, err := open(binary, dir, fake.URL, platform.URL)
	if err != nil {
		return err
	}
	defer stop()
	var failures error
	for n, client := range []string{"httpx_buy.py", "requests_buy.py", "fetch_buy.mjs", "mneme_buy.py", "mneme_buy.mjs"} {
		program, script := python, filepath.Join("meter", "payment", "buyers", client)
		if strings.HasSuffix(client, ".mjs") {
			// Node searches for packages in the folder of the script.
			program = "node"
			if script, err = copyTo(script, node); err != nil {
				return err
			}
		}
		for _, scheme := range []string{"exact", "upto"} {
			if err := shop.buy(fake, fmt.Sprintf("buyer-%d-%s", n, scheme), scheme, program, script); err != nil {
				failures = errors.Join(failures, fmt.Errorf("%s %s: %w", client, scheme, err))
				continue
			}
			fmt.Println(client, scheme, "bought a search")
		}
	}
	if err := shop.buyByCard(platform, webagents); err != nil {
		failures = errors.Join(failures, fmt.Errorf("webagents_buy.py: %w", err))
	} else {
		fmt.Println("webagents_buy.py bought a search")
	}
	return failures
}

// shop is a running server with a store whose searches are for sale.
type shop struct {
	binary, dir, url, search string
}

// open starts a server and creates an offer for a store. stop stops the server.
func open(binary, dir, facilitator, processor string) (s shop, stop func(), err error) {
	config := filepath.Join(dir, "config.yaml")
	text := fmt.Sprintf(`
meter:
  x402:
    facilitator: %s
    network: eip155:84532
    asset: "0x036CbD53842c5426634e7929541eC2318f3dCF7e"
    pay_to: "0x2222222222222222222222222222222222222222"
  secret: of-this-run-and-of-no-other-one-at-all
  mpp:
    realm: 127.0.0.1
    stripe: {url: %s, key: none, profile: profile_test}
`, facilitator, processor)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		return shop{}, nil, err
	}
	s = shop{binary: binary, dir: dir}
	ctx, cancel := context.WithCancel(context.Background())
	server := exec.CommandContext(ctx, binary, "serve", "--data-dir", dir, "--config", config, "--addr", "127.0.0.1:0", "--json") //nolint:gosec // the program under test
	server.Cancel = func() error { return server.Process.Signal(os.Interrupt) }
	server.WaitDelay = 10 * time.Second
	output, err := server.StdoutPipe()
	if err != nil {
		cancel()
		return shop{}, nil, err
	}
	if err := server.Start(); err != nil {
		cancel()
		return shop{}, nil, err
	}
	stop = func() {
		cancel()
		_ = server.Wait()
	}
	var ready struct{ Address string }
	if err := json.NewDecoder(output).Decode(&ready); err != nil {
		stop()
		return shop{}, nil, fmt.Errorf("the server did not start: %w", err)
	}
	s.url = ready.Address
	go func() { _, _ = io.Copy(io.Discard, output) }()
	if err := s.sell(); err != nil {
		stop()
		return shop{}, nil, err
	}
	return s, stop, nil
}

func (s *shop) token(agent string) (string, error) {
	text, err := exec.Command(s.binary, "token", "--data-dir", s.dir, "--agent", agent).Output() //nolint:gosec,noctx // the program under test; it ends at once
	return strings.TrimSpace(string(text)), err
}

func (s *shop) sell() error {
	token, err := s.token("seller")
	if err != nil {
		return err
	}
	for i := range entries {
		if _, err := call(http.MethodPut, fmt.Sprintf("%s/v1/stores/self/memories/k%d", s.url, i), token, map[string]any{"value": fmt.Sprintf("the lighthouse number %d", i)}); err != nil {
			return err
		}
	}
	offer, err := call(http.MethodPost, s.url+"/v1/stores/self/offers", token, map[string]any{
		"title": "Lighthouses", "description": "All of them",
		"terms": map[string]any{"price_search": searchPrice, "price_entry": entryPrice, "novelty_percent": 0},
	})
	if err != nil {
		return err
	}
	s.search = fmt.Sprintf("%s/v1/offers/%v/search", s.url, offer["id"])
	// Scheme upto is offered only after the facilitator has said that it supports it.
	buyer, err := s.token("looker")
	if err != nil {
		return err
	}
	for until := time.Now().Add(clientTimeout); time.Now().Before(until); time.Sleep(50 * time.Millisecond) {
		refused, _ := call(http.MethodPost, s.search, buyer, map[string]any{"query": "lighthouse"})
		if accepts, _ := refused["accepts"].([]any); len(accepts) == 2 {
			return nil
		}
	}
	return errors.New("the server does not offer both schemes")
}

// call sends a request and decodes the JSON object in the answer. It returns an error for any
// status but 2xx.
func call(method, url, token string, body any) (map[string]any, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(context.Background(), method, url, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	var out map[string]any
	if err := json.NewDecoder(response.Body).Decode(&out); err != nil {
		return nil, err
	}
	if response.StatusCode >= http.StatusMultipleChoices {
		return out, fmt.Errorf("%s %s: status %d: %v", method, url, response.StatusCode, out["detail"])
	}
	return out, nil
}

// bought is the JSON object that a client prints after its purchase.
type bought struct {
	Status  int    `json:"status"`
	Settled string `json:"settled"`
	Body    struct {
		Hits    []any  `json:"hits"`
		Detail  string `json:"detail"`
		Charges []struct {
			Amount int64 `json:"amount"`
		} `json:"charges"`
	} `json:"body"`
	Refused []string `json:"refused"`
}

// run runs a client with the token of a new buyer, and checks what the client got.
func (s *shop) run(buyer, scheme, program, script string) (got bought, err error) {
	token, err := s.token(buyer)
	if err != nil {
		return bought{}, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), clientTimeout)
	defer cancel()
	command := exec.CommandContext(ctx, program, script, scheme, s.search, token) //nolint:gosec // the clients under test
	var stderr bytes.Buffer
	command.Stderr = &stderr
	text, err := command.Output()
	if err != nil {
		return bought{}, fmt.Errorf("%w: %s", err, stderr.String())
	}
	if err := json.Unmarshal(text, &got); err != nil {
		return bought{}, err
	}
	switch {
	case got.Status != http.StatusOK:
		return got, fmt.Errorf("status %d: %s %v", got.Status, got.Body.Detail, got.Refused)
	case len(got.Body.Hits) != entries || len(got.Body.Charges) != 1 || got.Body.Charges[0].Amount != cost:
		return got, fmt.Errorf("%d hits for %+v", len(got.Body.Hits), got.Body.Charges)
	}
	return got, nil
}

// buyByCard runs the buyer of webagents, which pays by MPP with a card, and checks what was
// charged.
func (s *shop) buyByCard(platform *paymenttest.Platform, webagents string) error {
	got, err := s.run("card-holder", "stripe", webagents, filepath.Join("meter", "payment", "buyers", "webagents_buy.py"))
	if err != nil {
		return err
	}
	receipt, _ := base64.RawURLEncoding.DecodeString(got.Settled)
	if !strings.Contains(string(receipt), `"status":"success"`) {
		return fmt.Errorf("the receipt is %s", receipt)
	}
	charged := slices.Collect(maps.Values(platform.Charged()))
	if !slices.Equal(charged, []string{"1"}) { // the price in cents, rounded up
		return fmt.Errorf("charged %v", charged)
	}
	return nil
}

// buy runs a client of x402, and checks what it got and what was settled.
func (s *shop) buy(fake *paymenttest.Facilitator, buyer, scheme, program, script string) error {
	before := len(fake.Settled())
	known := fake.Settled()
	got, err := s.run(buyer, scheme, program, script)
	if err != nil {
		return err
	}
	response, _ := base64.StdEncoding.DecodeString(got.Settled)
	switch {
	case !strings.Contains(string(response), `"success":true`):
		return fmt.Errorf("the settlement is %s", response)
	case len(fake.Settled()) != before+1:
		return fmt.Errorf("%d settlements", len(fake.Settled())-before)
	}
	want := map[string]int64{"exact": fullPrice, "upto": cost}[scheme]
	for name, amount := range fake.Settled() {
		if known[name] == nil && amount.Int64() != want {
			return fmt.Errorf("%s was settled, not %d", amount, want)
		}
	}
	return nil
}

// copyTo copies a file into a folder.
func copyTo(file, folder string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	to := filepath.Join(folder, filepath.Base(file))
	return to, os.WriteFile(to, text, 0o600)
}
