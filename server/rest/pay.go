package rest

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/labstack/echo/v4"

	"mneme/server/checkout"
	"mneme/server/rest/api"
)

// TakePayments sets the desk that accepts the payments for searches. It must be
// called before Mount.
func (s *Surface) TakePayments(desk checkout.Desk) { s.desk = desk }

// requestKey is the context key for a request that may carry a payment.
type requestKey struct{}

// withRequest passes the request to the handler of a call that accepts payments.
func withRequest(next api.StrictHandlerFunc, operation string) api.StrictHandlerFunc {
	if operation != "SearchOffer" {
		return next
	}
	return func(c echo.Context, request any) (any, error) {
		r := c.Request()
		c.SetRequest(r.WithContext(context.WithValue(r.Context(), requestKey{}, r)))
		return next(c, request)
	}
}

// readPayment reads the payment of a call with a decoded body.
func (s *Surface) readPayment(ctx context.Context, description string, body any) (checkout.Call, error) {
	r, ok := ctx.Value(requestKey{}).(*http.Request)
	if !ok {
		return checkout.Call{}, nil
	}
	text, err := json.Marshal(body)
	if err != nil {
		return checkout.Call{}, err
	}
	return s.desk.Read(r, description, s.service.Secret().Digest("body", string(text)))
}
