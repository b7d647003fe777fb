package embed_test

import (
	"fmt"
	"strings"

	"mneme/embed"
)

// An embedder that calls a server gets Split, Spans and CodeSpans from a Splitter.
func ExampleSplitter() {
	splitter := embed.Splitter{Prefix: "passage: ", MaxTokens: 64}
	text := strings.Repeat("Tomatoes need water twice a week. ", 5)
	for _, chunk := range splitter.Split("garden: ", text) {
		fmt.Printf("%q\n", splitter.Input(chunk))
	}
	// Output:
	// "passage: garden: Tomatoes need water twice a week. Tomatoes need water twice a week. Tomatoes need water twice a week. "
	// "passage: garden: a week. Tomatoes need water twice a week. Tomatoes need water twice a week. "
}
