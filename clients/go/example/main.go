// Command example stores a memory and searches for it. It needs a server, and a token
// from "mneme token":
//
//	MNEME_URL=http://127.0.0.1:7077 MNEME_TOKEN=… go run ./example
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"

	client "mneme/clients/go"
	"mneme/clients/go/api"
)

func main() {
	log.SetFlags(0)
	if err := run(context.Background(), os.Getenv("MNEME_URL"), os.Getenv("MNEME_TOKEN")); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, address, token string) error {
	c, err := client.New(address, client.Options{Token: client.StaticToken(token)})
	if err != nil {
		return err
	}
	seat := client.Path{Store: "self", Namespace: "example", Key: "seat/anna"}
	if err := remember(ctx, c, seat, "Anna prefers the window seat on trains."); err != nil {
		return err
	}
	answer, _, err := c.Search(ctx, api.Question{Query: new("Which seat does Anna like on a train?"), Namespace: &seat.Namespace})
	if err != nil {
		return err
	}
	for _, hit := range answer.Hits {
		fmt.Println(hit.Key, string(hit.Value))
	}
	return c.Delete(ctx, seat, client.Conditions{})
}

// remember writes a text. It replaces an entry only in the version that it has read,
// and reads again if another program changed it in the meantime.
func remember(ctx context.Context, c *client.Client, path client.Path, text string) error {
	value, err := json.Marshal(text)
	if err != nil {
		return err
	}
	for {
		on := client.Conditions{}
		_, etag, err := c.Get(ctx, path)
		switch {
		case err == nil:
			on.Match = etag
		case client.IsAbsent(err):
			on.New = true
		default:
			return err
		}
		_, err = c.Put(ctx, path, api.Write{Value: value}, on)
		if client.StatusOf(err) != http.StatusPreconditionFailed {
			return err
		}
	}
}
