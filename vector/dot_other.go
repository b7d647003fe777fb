//go:build !amd64

package vector

func chooseFours() fours { return foursPortable }
