package client_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"

	client "mneme/clients/go"
	"mneme/storage/sqlite"
)

// exampleServer starts a server over an empty database.
func exampleServer() (address, token string, stop func()) {
	dir, err := os.MkdirTemp("", "mneme-example-*")
	if err != nil {
		log.Fatal(err)
	}
	storage, err := sqlite.Open(context.Background(), filepath.Join(dir, "mneme.db"))
	if err != nil {
		log.Fatal(err)
	}
	handler, token, err := serve(storage, dir)
	if err != nil {
		log.Fatal(err)
	}
	listening := httptest.NewServer(handler)
	return listening.URL, token, func() {
		listening.Close()
		storage.Close()
		os.RemoveAll(dir)
	}
}

// An agent remembers something, and later asks for it.
func Example() {
	address, token, stop := exampleServer()
	defer stop()

	ctx := context.Background()
	c, err := client.New(address, client.Options{Token: client.StaticToken(token)})
	if err != nil {
		log.Fatal(err)
	}
	value, err := json.Marshal("Anna prefers the window seat on trains.")
	if err != nil {
		log.Fatal(err)
	}
	_, err = c.Put(ctx, client.Path{Store: "self", Key: "seat/anna"}, client.Write{Value: value}, client.Conditions{})
	if err != nil {
		log.Fatal(err)
	}
	answer, _, err := c.Search(ctx, client.Question{Query: new("Which seat does Anna like on a train?")})
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
	address, token, stop := exampleServer()
	defer stop()

	c, err := client.New(address, client.Options{Token: client.StaticToken(token)})
	if err != nil {
		log.Fatal(err)
	}
	_, _, err = c.Get(context.Background(), client.Path{Store: "self", Key: "nothing"})
	fmt.Println(client.StatusOf(err) == http.StatusNotFound)
	// Output: true
}
