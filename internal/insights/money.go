package insights

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Money is an amount in hundredths of the agency's currency.
type Money int64

// ErrMoney is returned for a text that is no amount.
var ErrMoney = errors.New("must be an amount such as 1234.50, with at most 13 digits before the point and 2 behind it")

// Thirteen digits leave room to add up nine thousand of the largest amounts, which
// no agency comes near.
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
func (m Money) String() string {
	sign, n := "", uint64(m)
	if m < 0 {
		sign, n = "-", -n
	}
	return fmt.Sprintf("%s%d.%02d", sign, n/100, n%100)
}

// MarshalText writes the amount as String does.
func (m Money) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// share is how many of 100 of a whole a part is, to two decimals; nil of nothing.
func share(part, whole int64) any {
	if whole == 0 {
		return nil
	}
	return Money((20000*part + whole) / (2 * whole))
}
