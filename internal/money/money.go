// Package money counts amounts of the agency's currency as integers in hundredths, and
// writes them as decimal texts, so that no sum passes through a floating-point number.
package money

import (
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

// Amount is an amount in hundredths of the agency's currency.
type Amount int64

// ErrFormat is returned for a text that is not an amount.
var ErrFormat = errors.New("must be an amount such as 1234.50, with at most 13 digits before the point and 2 behind it")

var pattern = regexp.MustCompile(`^-?[0-9]{1,13}(\.[0-9]{1,2})?$`)

// Parse reads a decimal number of at most two decimals.
func Parse(text string) (Amount, error) {
	if !pattern.MatchString(text) {
		return 0, ErrFormat
	}
	whole, hundredths, _ := strings.Cut(text, ".")
	n, err := strconv.ParseInt(whole+(hundredths + "00")[:2], 10, 64)
	return Amount(n), err
}

// String writes the amount with two decimals: 1234.50.
func (m Amount) String() string { return WriteDecimal(big.NewInt(int64(m)), 2) }

// MarshalText writes the amount as String does.
func (m Amount) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// Sum is a sum of amounts, however many.
type Sum struct{ hundredths big.Int }

// ReadSum reads the text of a sum of the database.
func ReadSum(text string) (*Sum, error) {
	s := &Sum{}
	if _, ok := s.hundredths.SetString(text, 10); !ok {
		return nil, fmt.Errorf("money: a sum comes as %q", text)
	}
	return s, nil
}

// Add adds another sum.
func (s *Sum) Add(other *Sum) { s.hundredths.Add(&s.hundredths, &other.hundredths) }

// Compare is negative, 0 or positive as the sum is less than another, the same or more.
func (s *Sum) Compare(other *Sum) int { return s.hundredths.Cmp(&other.hundredths) }

// Hundredths writes the sum as a whole number of hundredths.
func (s *Sum) Hundredths() string { return s.hundredths.String() }

// Among is the average amount of so many, rounded half up.
func (s *Sum) Among(n int64) Amount {
	half := new(big.Int).Add(&s.hundredths, big.NewInt(n/2))
	return Amount(half.Quo(half, big.NewInt(n)).Int64())
}

// Decimals writes the sum with so many of its digits behind the point.
func (s *Sum) Decimals(n int) string { return WriteDecimal(&s.hundredths, n) }

// String writes the sum as amounts are written.
func (s *Sum) String() string { return s.Decimals(2) }

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
