package search_test

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"mneme/acl"
	"mneme/embed"
	"mneme/internal/fairqueue"
	"mneme/memory"
	"mneme/search"
	"mneme/storage"
	"mneme/test/backendtest"
	"mneme/test/wait"
)

// blockingEmbedder is an embedder whose queries each wait for a value on release.
type blockingEmbedder struct {
	embed.Embedder
	entered chan string
	release chan struct{}
}

func (h *blockingEmbedder) Query(ctx context.Context, text string) (embed.Query, error) {
	h.entered <- text
	<-h.release
	return h.Embedder.Query(ctx, text)
}

// awaitLoad waits until that many searches run and wait.
func awaitLoad(t *testing.T, h *harness, running, waiting int) {
	t.Helper()
	wait.Until(t, fmt.Sprintf("%d searches run and %d wait", running, waiting), func() error {
		if load := h.SearchLoad(); load.Running != running || load.Waiting != waiting {
			return fmt.Errorf("the load is %+v", load)
		}
		return nil
	})
}

func TestSearchesTakeTurns(t *testing.T) {
	t.Parallel()
	gate := &blockingEmbedder{Embedder: encoder(t), entered: make(chan string, 100), release: make(chan struct{})}
	options := backendtest.Options{Search: search.Options{Searches: fairqueue.Limits{Running: 1, RunningEach: 1, Waiting: 6, WaitingEach: 5}}}
	h := &harness{backendtest.Open(t, backendtest.Embedded(), options, gate), t}
	hog, ada, bob := agent("hog", acl.Public), agent("ada", acl.Public), agent("bob", acl.Public)
	h.PutText(hog, "hog", "k", "tea", 201)
	h.PutText(ada, "ada", "k", "tea", 201)

	var group sync.WaitGroup
	var mu sync.Mutex
	waits := 0 // searches whose answer reports a wait
	ask := func(c memory.Caller, query string, waiting int) {
		group.Go(func() {
			answer, err := h.Search(context.Background(), c, search.Request{Query: query, Limit: 10})
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			if answer.Took.Queue > 0 {
				waits++
			}
		})
		awaitLoad(t, h, 1, waiting)
	}
	for i := range 6 {
		ask(hog, fmt.Sprint("hog ", i), i)
	}
	ask(ada, "ada", 6)

	var busy *memory.BusyError
	if _, err := h.Search(background, hog, search.Request{Query: "one too many", Limit: 10}); !errors.As(err, &busy) || busy.RetryAfter <= 0 {
		t.Errorf("an agent's search above its limit: %v", err)
	}
	if _, err := h.Search(background, bob, search.Request{Query: "one too many", Limit: 10}); !errors.As(err, &busy) {
		t.Errorf("a search above the limit of all: %v", err)
	}
	var order []string
	for range 7 {
		order = append(order, <-gate.entered)
		gate.release <- struct{}{}
	}
	group.Wait()
	if at := slices.Index(order, "ada"); at < 1 || at > 2 {
		t.Errorf("the searches ran in the order %v", order)
	}
	if waits != 7 {
		t.Errorf("%d of 7 waits show in the answers", waits)
	}
	awaitLoad(t, h, 0, 0)
}

func TestACanceledSearchLeavesTheQueue(t *testing.T) {
	t.Parallel()
	gate := &blockingEmbedder{Embedder: encoder(t), entered: make(chan string, 100), release: make(chan struct{})}
	options := backendtest.Options{Search: search.Options{Searches: fairqueue.Limits{Running: 1, RunningEach: 1, Waiting: 6, WaitingEach: 5}}}
	h := &harness{backendtest.Open(t, backendtest.Embedded(), options, gate), t}
	ada := agent("ada", acl.Public)
	h.PutText(ada, "ada", "k", "tea", 201)
	var group sync.WaitGroup
	group.Go(func() { h.MustSearch(ada, search.Request{Query: "one"}) })
	awaitLoad(t, h, 1, 0)
	ctx, cancel := context.WithCancel(background)
	group.Go(func() {
		if _, err := h.Search(ctx, ada, search.Request{Query: "two", Limit: 10}); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	awaitLoad(t, h, 1, 1)
	cancel()
	awaitLoad(t, h, 1, 0)
	close(gate.release)
	group.Wait()
}

// views is a storage that counts its running views and lets a test block them.
type views struct {
	storage.Storage
	running, most atomic.Int64
	hold          chan struct{} // unless nil, each view waits for it
}

func (v *views) View(ctx context.Context, fn func(memory.ReadTx) error) error {
	if v.hold == nil {
		return v.Storage.View(ctx, fn)
	}
	now := v.running.Add(1)
	defer v.running.Add(-1)
	for most := v.most.Load(); now > most && !v.most.CompareAndSwap(most, now); most = v.most.Load() {
	}
	<-v.hold
	return v.Storage.View(ctx, fn)
}

// Whatever an agent reads, it occupies at most half of the readers, so that a reader is free for
// a call of another agent.
func TestAnAgentHoldsHalfOfTheReadersAtMost(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		rows := &views{Storage: b.Open(t).Storage(t)}
		p := backendtest.OpenProcess(t, rows, backendtest.Options{})
		h := &harness{backendtest.Wrap(t, p), t}
		hog, ada := agent("hog", acl.Public), agent("ada", acl.Public)
		h.PutText(hog, "hog", "k", "tea", 201)
		h.PutText(ada, "ada", "k", "tea", 201)
		half := int64(max(1, rows.Readers()/2))
		calls := map[string]func(c memory.Caller) error{
			"get": func(c memory.Caller) error { _, err := h.Get(background, c, path(c.Agent, "k")); return err },
			"list": func(c memory.Caller) error {
				_, err := h.List(background, c, memory.ListRequest{Store: c.Agent, Limit: 10})
				return err
			},
			"versions": func(c memory.Caller) error {
				_, err := h.EachVersion(background, c, path(c.Agent, "k"), 10, "", func(memory.Found) error { return nil })
				return err
			},
			"trash": func(c memory.Caller) error {
				_, err := h.Trash(background, c, memory.TrashRequest{Store: c.Agent, Limit: 10})
				return err
			},
			"grants": func(c memory.Caller) error { _, err := h.Grants(background, c, c.Agent); return err },
			"stores": func(c memory.Caller) error { _, err := h.Stores(background, c, "", ""); return err },
			"changes": func(c memory.Caller) error {
				_, err := h.Changes(background, c, memory.ChangesRequest{Store: c.Agent, Limit: 10})
				return err
			},
			"export": func(c memory.Caller) error {
				return h.Export(background, c, c.Agent, memory.Filter{}, func(memory.Found) error { return nil })
			},
			"batch": func(c memory.Caller) error {
				_, err := h.Batch(background, c, memory.BatchRequest{Store: c.Agent, Items: []memory.BatchItem{{Op: memory.BatchGet, PutRequest: memory.PutRequest{Path: memory.Path{Key: "k"}}}}})
				return err
			},
			"search": func(c memory.Caller) error {
				_, err := h.Search(background, c, search.Request{Query: "tea", Limit: 10, Mode: search.ModeLexical})
				return err
			},
		}
		for name, call := range calls {
			rows.hold = make(chan struct{})
			rows.most.Store(0)
			var group sync.WaitGroup
			for range 4 * half {
				group.Go(func() {
					if err := call(hog); err != nil {
						t.Errorf("%s: %v", name, err)
					}
				})
			}
			wait.Until(t, name+" holds its share", func() error {
				if now := rows.running.Load(); now != half {
					return fmt.Errorf("%d views run", now)
				}
				return nil
			})
			group.Go(func() {
				if err := call(ada); err != nil {
					t.Errorf("%s of another: %v", name, err)
				}
			})
			wait.Until(t, "another's "+name+" has a reader", func() error {
				if now := rows.running.Load(); now != half+1 {
					return fmt.Errorf("%d views run", now)
				}
				return nil
			})
			close(rows.hold)
			group.Wait()
			if most := rows.most.Load(); most > half+1 {
				t.Errorf("%s: %d views ran at a time, of two agents", name, most)
			}
			rows.hold = nil
		}
	})
}

// readsWithoutTurn are the functions that read without taking a turn, because they read for no
// caller or already have a turn. All others use view.
var readsWithoutTurn = map[string]string{
	"memory.view":            "takes the turn",
	"search.view":            "takes the turn",
	"memory.look":            "once for all calls that wait for changes",
	"memory.Dump":            "for the operator",
	"memory.readMetas":       "at the start",
	"memory.countSearchable": "at the start",
	"memory.unnormalized":    "at the start",
	"meter.view":             "takes the turn",
	"meter.Quote":            "Market.verify has the turn",
	"meter.amountOf":         "a received payment is settled before anything else",
	"meter.PublicKeys":       "for no caller",
	"meter.passedHalf":       "in the background, after a sale",
	"meter.Reconcile":        "in the background",
	"meter.overdue":          "in the background",
}

func TestEveryReadTakesATurn(t *testing.T) { checkTurns(t, "reads", readsWithoutTurn, "View") }

// writesWithoutTurn are the functions that write without update, updateBatched or updateClaim,
// because they write for no caller or take a turn themselves.
var writesWithoutTurn = map[string]string{
	"memory.update":        "takes the turn",
	"memory.updateBatched": "takes the turn",
	"meter.update":         "takes the turn",
	"meter.updateClaim":    "takes the turn, unless it is in the background",
	"search.sell":          "takes the turn",
	"search.noteAskedOf":   "takes the turn",
	"memory.Update":        "passes it on",
	"memory.UpdateBatched": "passes it on",
	"memory.LoadDump":      "for the operator",
	"memory.analyzeAgain":  "at the start",
	"memory.nameAgain":     "at the start",
	"memory.loadSecret":    "at the start",
	"memory.sweep":         "in the background",
	"memory.trim":          "in the background",
	"memory.trimHistories": "in the background",
	"meter.reconcile":      "in the background",
	"meter.Run":            "in the background",
	"meter.sweep":          "in the background",
}

func TestEveryWriteTakesATurn(t *testing.T) {
	checkTurns(t, "writes", writesWithoutTurn, "Update", "UpdateBatched")
}

// checkTurns checks that only the functions in without call the methods of a storage.
func checkTurns(t *testing.T, does string, without map[string]string, methods ...string) {
	t.Helper()
	met := make(map[string]bool)
	for _, folder := range []string{".", "../memory", "../meter"} {
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		set := gotoken.NewFileSet()
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(set, name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, declaration := range file.Decls {
				function, ok := declaration.(*ast.FuncDecl)
				if !ok {
					continue
				}
				ast.Inspect(function, func(n ast.Node) bool {
					call, ok := n.(*ast.CallExpr)
					if !ok {
						return true
					}
					if method, ok := call.Fun.(*ast.SelectorExpr); ok && slices.Contains(methods, method.Sel.Name) {
						name := file.Name.Name + "." + function.Name.Name
						if met[name] = true; without[name] == "" {
							t.Errorf("%s: %s %s and takes no turn", set.Position(call.Pos()), name, does)
						}
					}
					return true
				})
			}
		}
	}
	for name := range without {
		if !met[name] {
			t.Errorf("%s %s nothing", name, does)
		}
	}
}
