package client_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"

	client "mneme/clients/go"
	"mneme/clients/go/api"
)

// exampleServer is a fake mneme server: it stores one entry and finds it.
func exampleServer() *httptest.Server {
	entries := http.NewServeMux()
	kept := new(api.Write)
	entries.HandleFunc("PUT /v1/stores/self/memories/{key}", func(w http.ResponseWriter, r *http.Request) {
		if err := json.NewDecoder(r.Body).Decode(kept); err != nil {
			http.Error(w, "", http.StatusBadRequest)
			return
		}
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, `{"key":%q,"value":%s}`, r.PathValue("key"), kept.Value)
	})
	entries.HandleFunc("POST /v1/search", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"hits":[{"key":"seat/anna","value":%s}]}`, kept.Value)
	})
	entries.HandleFunc("GET /v1/stores/self/memories/{key}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusNotFound)
		io.WriteString(w, `{"title":"Not found"}`)
	})
	return httptest.NewServer(entries)
}

// An agent stores a memory, and searches for it later.
func Example() {
	server := exampleServer()
	defer server.Close()

	ctx := context.Background()
	c, err := client.New(server.URL, client.Options{Token: client.StaticToken("token")})
	if err != nil {
		log.Fatal(err)
	}
	value, err := json.Marshal("Anna prefers the window seat on trains.")
	if err != nil {
		log.Fatal(err)
	}
	_, err = c.Put(ctx, client.Path{Store: "self", Key: "seat/anna"}, api.Write{Value: value}, client.Conditions{})
	if err != nil {
		log.Fatal(err)
	}
	answer, _, err := c.Search(ctx, api.Question{Query: new("Which seat does Anna like on a train?")})
	if err != nil {
		log.Fatal(err)
	}
	for _, hit := range answer.Hits {
		fmt.Println(hit.Key, string(hit.Value))
	}
	// Output: seat/anna "Anna prefers the window seat on trains."
}

// A refused call is an *Error with the server's problem document.
func ExampleStatusOf() {
	server := exampleServer()
	defer server.Close()

	c, err := client.New(server.URL, client.Options{Token: client.StaticToken("token")})
	if err != nil {
		log.Fatal(err)
	}
	_, _, err = c.Get(context.Background(), client.Path{Store: "self", Key: "nothing"})
	fmt.Println(client.StatusOf(err) == http.StatusNotFound)
	// Output: true
}
