package storage_test

import (
	"reflect"
	"testing"

	"mneme/indexer"
	"mneme/memory"
	"mneme/meter"
)

// Every method is written once for each storage and wrapped by tests, so they are few: see
// docs/decisions/0063-one-seam.md.
func TestTheSeamIsNarrow(t *testing.T) {
	all, ofMemory, ofMeter := make(map[string]bool), make(map[string]bool), make(map[string]bool)
	add := func(into map[string]bool, tx reflect.Type) {
		for method := range tx.Methods() {
			into[method.Name], all[method.Name] = true, true
		}
	}
	add(ofMemory, reflect.TypeFor[memory.Tx]())
	add(ofMeter, reflect.TypeFor[meter.Tx]())
	add(all, reflect.TypeFor[indexer.Tx]())
	for name := range ofMemory {
		delete(ofMeter, name)
	}
	if len(ofMeter) > 40 {
		t.Errorf("the meter alone has %d methods; at most 40 are allowed", len(ofMeter))
	}
	t.Logf("%d methods, of the meter alone %d", len(all), len(ofMeter))
}
