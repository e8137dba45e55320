package main

import (
	"context"
	"fmt"
	"testing"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/agency/payee"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// payees are what of payees and W9s a page may ask for.
const payees = `payee { w9 { name taxClassification accountNumber taxpayerIdentifier signature }
	directDeposit { accountHolderName routingNumber accountNumber } }`

// pay gives an agent a W9 and bank details.
func pay(ctx context.Context, s *agency.Service, code string, i int) error {
	_, err := s.UpdatePayee(ctx, code, payee.Update{
		W9: patch.Set(payee.W9Details{Name: patch.Set("Name"), TaxClassification: patch.Set("INDIVIDUAL"), AccountNumber: patch.Set(fmt.Sprintf("AC-%04d", i)),
			TaxpayerIdentifier: patch.Set(fmt.Sprintf("900-12-%04d", i)), Signature: patch.Set("Name")}),
		DirectDeposit: patch.Set(payee.BankDetails{Country: patch.Set("US"), AccountHolderName: patch.Set("Name"), AccountType: patch.Set("CHECKING"),
			RoutingNumber: patch.Set("011000015"), AccountNumber: patch.Set(fmt.Sprintf("%08d", i))}),
		Initiator: "bench",
	}, false)
	return err
}
