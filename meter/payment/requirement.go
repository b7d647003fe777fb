package payment

import (
	"encoding/json"
	"reflect"

	"mneme/meter"
)

// requirement is a way to pay for a call, one of those that an answer with status 402 lists, in
// the format of x402 version 2.
type requirement struct {
	Scheme            string         `json:"scheme"`
	Network           string         `json:"network"` // CAIP-2
	Amount            string         `json:"amount"`  // in the asset's smallest units
	Asset             string         `json:"asset"`
	PayTo             string         `json:"payTo"`
	MaxTimeoutSeconds int            `json:"maxTimeoutSeconds"`
	Extra             map[string]any `json:"extra"`
}

// requirementV1 is a requirement in the format of x402 version 1.
type requirementV1 struct {
	Scheme            string         `json:"scheme"`
	Network           string         `json:"network"` // a name such as base, not CAIP-2
	MaxAmountRequired string         `json:"maxAmountRequired"`
	Resource          string         `json:"resource"`
	Description       string         `json:"description"`
	MimeType          string         `json:"mimeType"`
	PayTo             string         `json:"payTo"`
	MaxTimeoutSeconds int            `json:"maxTimeoutSeconds"`
	Asset             string         `json:"asset"`
	Extra             map[string]any `json:"extra,omitempty"`
}

// required is the object of x402 version 2 with which an answer with status 402 asks for a
// payment.
type required struct {
	Version    int            `json:"x402Version"`
	Error      string         `json:"error"`
	Resource   resource       `json:"resource"`
	Accepts    []requirement  `json:"accepts"`
	Extensions map[string]any `json:"extensions,omitempty"`
}

type resource struct {
	URL         string `json:"url"`
	Description string `json:"description"`
	MimeType    string `json:"mimeType"`
}

const mimeType = "application/json"

func (r requirement) v1(of meter.Resource) requirementV1 {
	return requirementV1{
		Scheme: r.Scheme, Network: nameV1(r.Network), MaxAmountRequired: r.Amount, Resource: of.URL,
		Description: of.Description, MimeType: mimeType, PayTo: r.PayTo, MaxTimeoutSeconds: r.MaxTimeoutSeconds,
		Asset: r.Asset, Extra: r.Extra,
	}
}

// matches reports whether accepted, the requirement in a client's payment, is r. All members
// but extra must be equal. The client may add members to extra, but must keep all of r's.
func (r requirement) matches(accepted json.RawMessage) bool {
	own, err := json.Marshal(r)
	if err != nil {
		return false
	}
	var asked, given map[string]any
	if json.Unmarshal(own, &asked) != nil || json.Unmarshal(accepted, &given) != nil {
		return false
	}
	extra, _ := asked["extra"].(map[string]any)
	got, _ := given["extra"].(map[string]any)
	delete(asked, "extra")
	delete(given, "extra")
	for name, value := range extra {
		if !reflect.DeepEqual(value, got[name]) {
			return false
		}
	}
	return reflect.DeepEqual(asked, given)
}

// namesV1 are the names of networks in x402 version 1, by their CAIP-2 identifiers.
var namesV1 = map[string]string{
	"eip155:1": "ethereum", "eip155:8453": "base", "eip155:84532": "base-sepolia", "eip155:137": "polygon",
	"eip155:80002": "polygon-amoy", "eip155:43114": "avalanche", "eip155:43113": "avalanche-fuji",
	"eip155:2741": "abstract", "eip155:11124": "abstract-testnet", "eip155:4689": "iotex", "eip155:1329": "sei",
	"eip155:1328": "sei-testnet", "eip155:3338": "peaq", "eip155:1513": "story", "eip155:656476": "educhain",
	"eip155:4326": "megaeth", "eip155:143": "monad", "eip155:10143": "monad-testnet", "eip155:988": "stable",
	"eip155:2201": "stable-testnet", "eip155:42220": "celo",
}

// nameV1 returns the name in x402 version 1 of a network; its CAIP-2 identifier if it has no
// name.
func nameV1(network string) string {
	if name, ok := namesV1[network]; ok {
		return name
	}
	return network
}

// caip2 returns the CAIP-2 identifier of a network by its name in x402 version 1; other names
// unchanged.
func caip2(name string) string {
	for network, v1 := range namesV1 {
		if v1 == name {
			return network
		}
	}
	return name
}
