// Package maxsim compares texts token by token (late interaction, as in
// ColBERT): the score of a question's token is the largest cosine that it has
// with any token of an entry.
//
// A token is a vector of Dim components: the encoder's vector of the token,
// centred and projected on the fixed principal components of such vectors. An
// entry's tokens are kept as codes of TokenSize bytes, with four bits a
// component; a question's tokens have eight bits, since they are not kept.
package maxsim

const (
	// Dim is the number of components of a token's vector.
	Dim = 64

	// TokenSize is the length of a token's code in bytes: four bits a component.
	TokenSize = Dim / 2
)

// Vector is a token of a question. Its largest magnitude is 127; only its
// direction counts.
type Vector [Dim]int8
