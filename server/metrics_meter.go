package server

import (
	"github.com/prometheus/client_golang/prometheus"

	"mneme/search"
)

// meterMetrics are the metrics of paid lookups. They contain no store, agent
// or amount.
type meterMetrics struct {
	charges    prometheus.Counter
	notBought  *prometheus.CounterVec
	passedHalf prometheus.Counter
	unsettled  prometheus.Counter
	reconciled prometheus.Counter
	overdue    prometheus.Gauge
}

func newMeterMetrics(registry *prometheus.Registry) meterMetrics {
	m := meterMetrics{
		charges: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "mneme_meter_charges_total", Help: "Charges for searches, including charges of no amount.",
		}),
		notBought: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "mneme_meter_refused_total", Help: "Stores that a search left out or failed at, by reason: cap, balance, max_charge or spend.",
		}, []string{"reason"}),
		passedHalf: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "mneme_meter_buyers_past_half_total", Help: "Buyers that have been shown more than half of a store's entries, counted when they pass it.",
		}),
		unsettled: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "mneme_meter_settle_failures_total", Help: "Attempts to settle a payment whose outcome is unknown.",
		}),
		reconciled: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "mneme_meter_reconciled_total", Help: "Payments that were ended after their request.",
		}),
		overdue: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "mneme_meter_payments_overdue", Help: "Payments, up to a hundred, that were charged longer ago than a hold lasts and are not settled.",
		}),
	}
	registry.MustRegister(m.charges, m.notBought, m.passedHalf, m.unsettled, m.reconciled, m.overdue)
	for _, reason := range []search.SkipReason{search.SkipNoCharge, search.SkipCap, search.SkipBalance, search.SkipNoConsent} {
		m.notBought.WithLabelValues(string(reason)) // present as 0 from the start
	}
	return m
}

// Charged implements meter.Observer.
func (m *Metrics) Charged(n int) { m.meter.charges.Add(float64(n)) }

// Refused implements meter.Observer.
func (m *Metrics) Refused(reason search.SkipReason) {
	m.meter.notBought.WithLabelValues(string(reason)).Inc()
}

// PassedHalf implements meter.Observer.
func (m *Metrics) PassedHalf() { m.meter.passedHalf.Inc() }

// SettleFailed implements meter.PaymentObserver.
func (m *Metrics) SettleFailed() { m.meter.unsettled.Inc() }

// Reconciled implements meter.PaymentObserver.
func (m *Metrics) Reconciled(done, overdue int) {
	m.meter.reconciled.Add(float64(done))
	m.meter.overdue.Set(float64(overdue))
}
