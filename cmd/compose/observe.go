package compose

import (
	"sync/atomic"

	"mneme/search"
	"mneme/server"
)

// saleObserver reports sales to the metrics of an Instance's newest server. It
// implements meter.Observer and meter.PaymentObserver.
type saleObserver struct {
	to atomic.Pointer[server.Metrics] // nil: there is no server yet
}

// follow sets the metrics. An Instance that sells nothing has no observer.
func (o *saleObserver) follow(m *server.Metrics) {
	if o != nil {
		o.to.Store(m)
	}
}

func (o *saleObserver) tell(observe func(*server.Metrics)) {
	if m := o.to.Load(); m != nil {
		observe(m)
	}
}

func (o *saleObserver) Charged(n int) { o.tell(func(m *server.Metrics) { m.Charged(n) }) }

func (o *saleObserver) Refused(reason search.SkipReason) {
	o.tell(func(m *server.Metrics) { m.Refused(reason) })
}

func (o *saleObserver) PassedHalf()   { o.tell((*server.Metrics).PassedHalf) }
func (o *saleObserver) SettleFailed() { o.tell((*server.Metrics).SettleFailed) }

func (o *saleObserver) Reconciled(done, pending int) {
	o.tell(func(m *server.Metrics) { m.Reconciled(done, pending) })
}
