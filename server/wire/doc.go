// Package wire has the parts that the surfaces share: the decoder of request
// bodies, the encoder of entries, and the defaults of optional fields. Each
// surface has its own field names and strictness.
package wire
