package compose

import (
	"fmt"

	"mneme/configs"
	"mneme/meter/payment"
)

// NewPayments returns the configured ways to pay with a request; nil if there are
// none. An invalid configuration is a *ConfigError.
func NewPayments(config configs.Meter) (*payment.Methods, error) {
	options := payment.Options{Secret: []byte(config.Secret)}
	if x := config.X402; x.Facilitator != "" {
		options.X402 = &payment.X402{
			Facilitator: x.Facilitator, Token: string(x.Token), Schemes: x.Schemes, Network: x.Network, Asset: x.Asset,
			Decimals: x.Decimals, PerCredit: x.PerCredit, PayTo: x.PayTo, Name: x.Name, Version: x.Version, MaxTimeout: x.MaxTimeout,
		}
	}
	if c := config.Credits; c.Platform != "" {
		options.Credits = &payment.Credits{Platform: c.Platform, Token: string(c.Token)}
	}
	if m := config.MPP; m.Realm != "" {
		options.MPP = &payment.MPP{Realm: m.Realm}
		if s := m.Stripe; s.Key != "" {
			options.MPP.Stripe = &payment.Stripe{
				URL: s.URL, Key: string(s.Key), Profile: s.Profile, Currency: s.Currency, PerCredit: s.PerCredit,
			}
		}
	}
	if options.X402 == nil && options.Credits == nil && options.MPP == nil {
		return nil, nil
	}
	methods, err := payment.New(options)
	if err != nil {
		return nil, &ConfigError{fmt.Errorf("configuration: meter.%w", err)}
	}
	return methods, nil
}
