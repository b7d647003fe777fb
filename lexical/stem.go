package lexical

import (
	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// stem reduces a folded word to what its forms share.
func stem(word []byte) []byte {
	env := snowballstem.NewEnv(string(word))
	english.Stem(env)
	return []byte(env.Current())
}
