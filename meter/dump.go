package meter

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// The settings of the database (memory.MetaReader) that package meter stores, and that a
// dump contains.
const (
	MetaBought      = "bought"       // the key of the digests in Bought
	MetaReceiptKeys = "receipt_keys" // a JWK Set; see Meter
)

// DumpRecord is a record of the meter in an operator's dump; exactly one field is
// set.
type DumpRecord struct {
	Offer  *Offer      `json:"offer,omitempty"`
	Line   *Line       `json:"line,omitempty"`
	Charge *Charge     `json:"charge,omitempty"`
	Bought *DumpBought `json:"bought,omitempty"`
	Count  *DumpCount  `json:"count,omitempty"`
	Claim  *Claim      `json:"claim,omitempty"`
	Meta   *DumpMeta   `json:"meta,omitempty"`
}

// DumpBought is a Bought in a dump.
type DumpBought struct{ Bought }

// DumpCount is a count in a dump.
type DumpCount struct {
	CountKey
	Count
}

// DumpMeta is a setting of the database that the meter needs: MetaBought or
// MetaReceiptKeys. Value is the setting as returned by DumpedMeta.
type DumpMeta struct {
	Name  string
	Value []byte
}

// DumpedMeta returns a setting as a dump contains it. For MetaReceiptKeys this is only the
// public keys: a reader of a dump must not be able to sign receipts.
func DumpedMeta(name string, value []byte) ([]byte, error) {
	if name != MetaReceiptKeys {
		return value, nil
	}
	set := map[string]json.RawMessage{}
	if err := json.Unmarshal(value, &set); err != nil {
		return nil, fmt.Errorf("the setting %s is no JWK Set", name)
	}
	var keys []map[string]json.RawMessage
	if err := json.Unmarshal(set["keys"], &keys); err != nil {
		return nil, fmt.Errorf("the setting %s is no JWK Set", name)
	}
	for _, key := range keys {
		delete(key, "d") // RFC 8037: the private key
	}
	public, err := json.Marshal(keys)
	if err != nil {
		return nil, err
	}
	set["keys"] = public
	return json.Marshal(set)
}

// DumpedMetas returns the names of the settings that a dump contains.
func DumpedMetas() []string { return []string{MetaBought, MetaReceiptKeys} }

// Encode returns the record in the form of a memory.DumpRecord.
func (r DumpRecord) Encode() (json.RawMessage, error) { return json.Marshal(r) }

// DecodeDumpRecord is the inverse of Encode. It returns an error if the record has an
// unknown field, or not exactly one field.
func DecodeDumpRecord(raw json.RawMessage) (DumpRecord, error) {
	var r DumpRecord
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&r); err != nil {
		return DumpRecord{}, errDumpRecord // the decoder's error could quote the record
	}
	fields := 0
	for _, set := range [...]bool{r.Offer != nil, r.Line != nil, r.Charge != nil, r.Bought != nil, r.Count != nil, r.Claim != nil, r.Meta != nil} {
		if set {
			fields++
		}
	}
	if fields != 1 || r.Meta != nil && !slices.Contains(DumpedMetas(), r.Meta.Name) {
		return DumpRecord{}, errDumpRecord
	}
	return r, nil
}

var errDumpRecord = errors.New("a record of the meter cannot be read")
