package flat_test

import (
	"testing"

	"mneme/vector"
	"mneme/vector/flat"
	"mneme/vector/vectortest"
)

func TestContract(t *testing.T) {
	vectortest.Run(t, func(_ testing.TB, dim int) vector.Index { return flat.New(dim) }, vectortest.Options{})
}
