package main

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/app/apptest"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/words/clock"
	"github.com/uplinehq/upline/internal/words/patch"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

const payees = `payee { w9 { name taxClassification accountNumber taxpayerIdentifier signature }
	directDeposit { accountHolderName routingNumber accountNumber } }`

// BenchmarkPayees compares a page of 50 agents with payee and W9 with the same page
// without: "Reading 50 agents with payee and W9 … stays within 1.3× of the same
// page without them". Both are read in turns, so that what else the machine does
// falls on both, and medians are told; cpu is that of this process, without
// PostgreSQL's.
func BenchmarkPayees(b *testing.B) {
	w := apptest.New(b, dbtest.PostgresOwner(b), apptest.Options{Now: clock.System{}.Now()})
	w.LoadDemo(b, apptest.Acme, 2000)
	w.RebuildNow(b, apptest.Acme)
	ctx := w.Context(b, apptest.Acme)
	for i := range 50 {
		if err := pay(ctx, w.Agency, fmt.Sprintf("A%d", 1000+i), i); err != nil {
			b.Fatal(err)
		}
	}
	page := question{name: "page"}.document()
	documents := [2]string{page, strings.Replace(page, "agentCode displayName isActive", "agentCode displayName isActive "+payees, 1)}
	var elapsed, cpu [2][]float64 // of each, in milliseconds
	for b.Loop() {
		for i, document := range documents {
			began, used := time.Now(), ownUsage()
			response := w.Graph.Execute(ctx, document, "Page", nil)
			elapsed[i] = append(elapsed[i], time.Since(began).Seconds()*1000)
			cpu[i] = append(cpu[i], (ownUsage().CPU-used.CPU).Seconds()*1000)
			if len(response.Errors) > 0 || strings.Count(string(response.Data), "***-**-") < 50*i {
				b.Fatalf("%v %s", response.Errors, response.Data)
			}
		}
	}
	for of, all := range map[string][2][]float64{"": elapsed, "cpu-": cpu} {
		ratios := make([]float64, len(all[0]))
		for i := range ratios {
			ratios[i] = all[1][i] / all[0][i]
		}
		b.ReportMetric(median(all[0]), of+"without-ms")
		b.ReportMetric(median(all[1]), of+"with-ms")
		b.ReportMetric(median(ratios), of+"ratio")
	}
}

// pay gives an agent a W9 and bank details.
func pay(ctx context.Context, s *agency.Service, code string, i int) error {
	_, err := s.UpdatePayee(ctx, code, agency.PayeeUpdate{
		W9: patch.Set(agency.W9Update{Name: patch.Set("Name"), TaxClassification: patch.Set("INDIVIDUAL"), AccountNumber: patch.Set(fmt.Sprintf("AC-%04d", i)),
			TaxpayerIdentifier: patch.Set(fmt.Sprintf("900-12-%04d", i)), Signature: patch.Set("Name")}),
		DirectDeposit: patch.Set(agency.DirectDepositInput{Country: "US", AccountHolderName: "Name", AccountType: "CHECKING",
			RoutingNumber: new("011000015"), AccountNumber: new(fmt.Sprintf("%08d", i))}),
		Initiator: "bench",
	}, false)
	return err
}
