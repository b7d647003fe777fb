package inprocess_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"mneme/server/inprocess"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func get(t *testing.T, ctx context.Context, h http.HandlerFunc, body io.Reader) (*http.Response, error) {
	t.Helper()
	transport := inprocess.New(h)
	t.Cleanup(transport.Wait)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://mneme/a%2Fb?q=1", body)
	if err != nil {
		t.Fatal(err)
	}
	return (&http.Client{Transport: transport}).Do(r)
}

func TestHandlerSeesTheRequestAsAServerDoes(t *testing.T) {
	response, err := get(t, t.Context(), func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Seen", r.URL.EscapedPath()+" "+r.RequestURI+" "+r.Host+" "+r.URL.Host)
		w.WriteHeader(http.StatusTeapot)
		w.Write(text)
		w.Header().Set("X-Late", "not sent")
	}, strings.NewReader("text"))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || string(text) != "text" || response.Status != "418 I'm a teapot" {
		t.Errorf("got %q, %s, %v", text, response.Status, err)
	}
	if got := response.Header.Get("X-Seen"); got != "/a%2Fb /a%2Fb?q=1 mneme " {
		t.Errorf("got %q", got)
	}
	if response.Header.Get("X-Late") != "" {
		t.Error("a header set after WriteHeader was sent")
	}
}

func TestHandlerThatWritesNothingReturns200(t *testing.T) {
	response, err := get(t, t.Context(), func(http.ResponseWriter, *http.Request) {}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if text, err := io.ReadAll(response.Body); err != nil || len(text) != 0 || response.StatusCode != http.StatusOK {
		t.Errorf("got %q, %d, %v", text, response.StatusCode, err)
	}
}

// Each line of the request is answered before the next one is sent.
func TestBodiesStreamInBothDirections(t *testing.T) {
	lines, in := io.Pipe()
	response, err := get(t, t.Context(), func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		for scanner := bufio.NewScanner(r.Body); scanner.Scan(); {
			fmt.Fprintf(w, "%s!\n", scanner.Text())
		}
	}, lines)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answers := bufio.NewReader(response.Body)
	for n := range 3 {
		fmt.Fprintf(in, "%d\n", n)
		if got, err := answers.ReadString('\n'); err != nil || got != fmt.Sprintf("%d!\n", n) {
			t.Fatalf("got %q, %v", got, err)
		}
	}
	in.Close()
	if _, err := answers.ReadString('\n'); !errors.Is(err, io.EOF) {
		t.Errorf("got %v", err)
	}
}

func TestPanicInHandlerTruncatesTheResponse(t *testing.T) {
	response, err := get(t, t.Context(), func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "half")
		panic(http.ErrAbortHandler)
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if text, err := io.ReadAll(response.Body); !errors.Is(err, io.ErrUnexpectedEOF) || string(text) != "half" {
		t.Errorf("got %q, %v", text, err)
	}
	//nolint:bodyclose // an error comes without a response
	if _, err := get(t, t.Context(), func(http.ResponseWriter, *http.Request) { panic("before the header") }, nil); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %v", err)
	}
}

func TestCanceledRequestEndsTheHandler(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	//nolint:bodyclose // an error comes without a response
	_, err := get(t, ctx, func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	}, nil)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("before the header: got %v", err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	response, err := get(t, ctx, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusOK)
		<-r.Context().Done()
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	cancel()
	if _, err := io.ReadAll(response.Body); !errors.Is(err, context.Canceled) {
		t.Errorf("after the header: got %v", err)
	}
}

func TestClosedResponseEndsTheHandler(t *testing.T) {
	failed := make(chan error, 1)
	response, err := get(t, t.Context(), func(w http.ResponseWriter, r *http.Request) {
		_, err := io.WriteString(w, "nobody reads")
		if r.Context().Err() == nil {
			t.Error("the write ended before the request was canceled")
		}
		failed <- err
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if <-failed == nil {
		t.Error("the handler could still write")
	}
}
