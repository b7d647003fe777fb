package e5_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"mneme/embed/e5"
)

// Rank three passages for a query. Vectors have unit length, so their dot product is the
// cosine. Cosines of this model are between .7 and 1: compare them with each other, not
// with a threshold.
func Example() {
	encoder, err := e5.New(e5.Options{})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	passages := []string{
		"Ada drinks her tea green, without sugar.",
		"The garden needs water twice a week.",
		"The train to Bern leaves at seven.",
	}
	embedded, err := encoder.Passages(ctx, passages)
	if err != nil {
		log.Fatal(err)
	}
	query, err := encoder.Query(ctx, "What does she like to drink?")
	if err != nil {
		log.Fatal(err)
	}
	best, score := 0, 0.0
	for i, passage := range embedded {
		cosine := 0.0
		for j, x := range passage.Vector {
			cosine += float64(x) * float64(query.Vector[j])
		}
		if cosine > score {
			best, score = i, cosine
		}
	}
	fmt.Println(len(query.Vector), "dimensions")
	fmt.Println(passages[best])
	// Output:
	// 384 dimensions
	// Ada drinks her tea green, without sugar.
}

// A text beyond the window of 512 tokens is split into overlapping chunks, each
// with the header and the text's title.
func ExampleEncoder_Split() {
	encoder, err := e5.New(e5.Options{})
	if err != nil {
		log.Fatal(err)
	}
	text := "The garden\n" + strings.Repeat("Tomatoes need water twice a week. ", 100)
	for _, chunk := range encoder.Split("notes/garden", text) {
		lines := strings.Split(chunk, "\n")
		sentences := strings.Count(chunk, "Tomatoes")
		fmt.Printf("%q, %q, %d sentences\n", lines[0], lines[1], sentences)
	}
	// Output:
	// "notes/garden", "The garden", 54 sentences
	// "notes/garden", "The garden", 55 sentences
}
