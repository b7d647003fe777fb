package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"mneme/acl"
	client "mneme/clients/go"
	"mneme/clients/go/api"
	"mneme/cmd/mneme/importer"
	"mneme/crypto"
	"mneme/examples/samples"
)

// The agents of the demo.
const (
	household = "iris"  // the visitor's agent
	team      = "forge" // shares its store with household
	guide     = "hiker" // sells searches to household, and buys
)

// sampleWriter writes the demo's samples.
type sampleWriter struct {
	*program
	to      *connection
	keyFile string // keys of the encrypted value
	embed   func(context.Context) error
}

// write writes all samples to an empty database.
func (s *sampleWriter) write(ctx context.Context) error {
	for _, file := range []string{"memories.jsonl", "demo.jsonl"} {
		if err := s.entries(ctx, file); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	for _, step := range []func(context.Context) error{s.past, s.classified, s.sealed, s.embed, s.grants, s.market} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// entries writes the entries of a file of samples, each store by its own agent.
func (s *sampleWriter) entries(ctx context.Context, name string) error {
	file, err := samples.Files.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	i := importing{program: s.program, as: s.to.as}
	var records []record
	if err := importer.Read(name, file, time.Now(), time.UTC, func(line importer.Line) error {
		r := record{file: name, line: line.Number, put: line.Put}
		r.put.Path.Store = line.Store
		records = append(records, r)
		return line.Err
	}); err != nil {
		return err
	}
	if err := i.send(ctx, s.to, records); err != nil {
		return err
	}
	if refused := i.counts.Refused; len(refused) > 0 {
		return fmt.Errorf("line %d: %s", refused[0].Line, refused[0].Reason)
	}
	return nil
}

// as returns a client of an agent.
func (s *sampleWriter) as(agent string) (*client.Client, error) { return s.to.client(agent) }

// past gives one entry a history, and puts another in the trash.
func (s *sampleWriter) past(ctx context.Context) error {
	iris, err := s.as(household)
	if err != nil {
		return err
	}
	shopping := client.Path{Store: "self", Key: "shopping/saturday"}
	for _, text := range []string{
		"For Saturday: rye bread, butter, twelve eggs.",
		"For Saturday: rye bread, butter, six eggs, and oat milk for Theo.",
		"For Saturday: rye bread, butter, six eggs, oat milk for Theo, and candles for Mira's cake.",
	} {
		if _, err := iris.Put(ctx, shopping, write(text, "What to buy", "home"), client.Conditions{}); err != nil {
			return err
		}
	}
	parked := client.Path{Store: "self", Key: "car/parked"}
	if _, err := iris.Put(ctx, parked, write("The car is in the second row behind the station.", "Where the car is", "car"), client.Conditions{}); err != nil {
		return err
	}
	return iris.Delete(ctx, parked, client.Conditions{})
}

// classified writes an entry that sessions with a lower label do not see.
func (s *sampleWriter) classified(ctx context.Context) error {
	iris, err := s.to.clientOf(acl.Principal{Agent: household, Taint: acl.Confidential})
	if err != nil {
		return err
	}
	_, err = iris.Put(ctx, client.Path{Store: "self", Key: "money/offer"},
		write("Ben has an offer from another firm and has to answer by the end of the month. Nobody at work knows.", "Ben's offer", "money"), client.Conditions{})
	return err
}

// sealed writes an entry that only its client can read.
func (s *sampleWriter) sealed(ctx context.Context) error {
	iris, err := s.as(household)
	if err != nil {
		return err
	}
	ring, _, err := crypto.LoadOrCreate(s.keyFile)
	if err != nil {
		return err
	}
	const key = "safe/code"
	blob, err := ring.Seal([]byte("The safe opens with 41-7-23, to the left first."), crypto.EntryRef{Store: household, Key: key})
	if err != nil {
		return err
	}
	sealed := api.Write{Value: crypto.EncodeValue(blob), Encrypted: new(true), Description: new("The code of the safe"), Tags: &[]string{"home"}}
	_, err = iris.Put(ctx, client.Path{Store: "self", Key: key}, sealed, client.Conditions{})
	return err
}

// grants shares forge's store with iris, and lets forge search that of iris.
func (s *sampleWriter) grants(ctx context.Context) error {
	for _, g := range []struct {
		from, to string
		level    api.Level
	}{{team, household, api.Read}, {household, team, api.Search}} {
		from, err := s.as(g.from)
		if err != nil {
			return err
		}
		if err := client.Discard(from.PutGrant(ctx, "self", g.to, api.Share{Level: &g.level})); err != nil { //nolint:bodyclose // Discard closes it
			return err
		}
	}
	return nil
}

// Prices and credit of the demo, in micros.
const (
	priceSearch = 2_000
	priceEntry  = 500
	credit      = 5_000_000
)

// market makes iris and hiker offer each other their stores, and hiker buy from iris.
func (s *sampleWriter) market(ctx context.Context) error {
	operator, err := s.to.clientOf(acl.Principal{Agent: household, Taint: acl.Public, Platform: true})
	if err != nil {
		return err
	}
	for _, agent := range []string{household, guide} {
		if _, err := operator.TopUp(ctx, agent, credit, "demo"); err != nil {
			return err
		}
	}
	if _, _, err := s.offer(ctx, guide, household, "Trails of the Alps", "Day hikes with huts, water and weather, walked since 2015."); err != nil {
		return err
	}
	hiker, bought, err := s.offer(ctx, household, guide, "How a household runs", "Bees, a telescope, an old boiler, night trains, a piano.")
	if err != nil {
		return err
	}
	for _, query := range []string{"when do the bees swarm?", "which berths on a night train?"} {
		if _, err := hiker.SearchOffer(ctx, bought.ID, api.OfferQuestion{Query: query, Limit: new(3)}, ""); err != nil {
			return err
		}
	}
	return nil
}

// offer makes an offer of a seller's store, which a buyer accepts, and returns the buyer's
// client.
func (s *sampleWriter) offer(ctx context.Context, seller, buyer, title, description string) (*client.Client, client.StoredOffer, error) {
	from, err := s.as(seller)
	if err != nil {
		return nil, client.StoredOffer{}, err
	}
	to, err := s.as(buyer)
	if err != nil {
		return nil, client.StoredOffer{}, err
	}
	terms := api.TermsRequest{PriceSearch: new(int64(priceSearch)), PriceEntry: new(int64(priceEntry))}
	made, err := from.MakeOffer(ctx, "self", api.OfferRequest{Title: title, Description: description, Terms: terms}, "")
	if err != nil {
		return nil, client.StoredOffer{}, err
	}
	_, err = to.Accept(ctx, made.ID, client.Conditions{}, "")
	return to, made, err
}

// openOffer returns the ID of hiker's offer; "OFFER" if an earlier demo withdrew it.
func (s *sampleWriter) openOffer(ctx context.Context) (string, error) {
	iris, err := s.as(household)
	if err != nil {
		return "", err
	}
	for offer, err := range iris.Offers(ctx) {
		if err != nil {
			return "", err
		}
		if offer.Seller == guide {
			return offer.ID.String(), nil
		}
	}
	return "OFFER", nil
}

// write returns a write of a text with a description and a tag.
func write(text, description, tag string) api.Write {
	value, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string always marshals
	}
	return api.Write{Value: value, Description: &description, Tags: &[]string{tag}}
}
