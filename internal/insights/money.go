package insights

import (
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

// Money is an amount in hundredths of the agency's currency.
type Money int64

// ErrMoney is returned for a text that is no amount.
var ErrMoney = errors.New("must be an amount such as 1234.50, with at most 13 digits before the point and 2 behind it")

var moneyPattern = regexp.MustCompile(`^-?[0-9]{1,13}(\.[0-9]{1,2})?$`)

// ParseMoney reads a decimal number of at most two decimals.
func ParseMoney(text string) (Money, error) {
	if !moneyPattern.MatchString(text) {
		return 0, ErrMoney
	}
	whole, hundredths, _ := strings.Cut(text, ".")
	n, err := strconv.ParseInt(whole+(hundredths + "00")[:2], 10, 64)
	return Money(n), err
}

// String writes the amount with two decimals: 1234.50.
func (m Money) String() string { return WriteDecimal(big.NewInt(int64(m)), 2) }

// MarshalText writes the amount as String does.
func (m Money) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// Sum is a sum of amounts, however many.
type Sum struct{ hundredths big.Int }

// readSum reads the text of a sum of the database.
func readSum(text string) (*Sum, error) {
	s := &Sum{}
	if _, ok := s.hundredths.SetString(text, 10); !ok {
		return nil, fmt.Errorf("insights: a sum comes as %q", text)
	}
	return s, nil
}

// add adds another sum.
func (s *Sum) add(other *Sum) { s.hundredths.Add(&s.hundredths, &other.hundredths) }

// among is the average amount of so many, rounded half up.
func (s *Sum) among(n int64) Money {
	half := new(big.Int).Add(&s.hundredths, big.NewInt(n/2))
	return Money(half.Quo(half, big.NewInt(n)).Int64())
}

// String writes the sum as amounts are written.
func (s *Sum) String() string { return WriteDecimal(&s.hundredths, 2) }

// MarshalText writes the sum as String does.
func (s *Sum) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// WriteDecimal writes a whole number with so many of its digits behind a point.
func WriteDecimal(n *big.Int, decimals int) string {
	sign, digits := "", new(big.Int).Abs(n).String()
	if n.Sign() < 0 {
		sign = "-"
	}
	if missing := decimals + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	return sign + digits[:len(digits)-decimals] + "." + digits[len(digits)-decimals:]
}

// share is how many of 100 of a whole a part is, to two decimals; nil of nothing.
func share(part, whole int64) any {
	if whole == 0 {
		return nil
	}
	return Money((20000*part + whole) / (2 * whole))
}
