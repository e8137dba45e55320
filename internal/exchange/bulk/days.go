package bulk

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/date"
)

// Order is in which order a file writes the parts of its days.
type Order string

// The orders.
const (
	MonthFirst Order = "MONTH_FIRST"
	DayFirst   Order = "DAY_FIRST"
)

var (
	numericDay = regexp.MustCompile(`^(\d{1,2})([/.-])(\d{1,2})[/.-](\d{4}|\d{2})$`)
	isoDay     = regexp.MustCompile(`^(\d{4})[/.-](\d{1,2})[/.-](\d{1,2})$`)
	namedDay   = regexp.MustCompile(`(?i)^(\d{1,2})[ .-]*([a-z]{3,9})\.?[ ,.-]*(\d{4}|\d{2})$`)
	namedMonth = regexp.MustCompile(`(?i)^([a-z]{3,9})\.?[ -](\d{1,2})(?:st|nd|rd|th)?,? +(\d{4}|\d{2})$`)
	compactDay = regexp.MustCompile(`^\d{8}$`)
	serialDay  = regexp.MustCompile(`^\d{5}(\.0+)?$`)
	orderTold  = regexp.MustCompile(`(?i)\b(dd[/.-]mm|mm[/.-]dd)\b`)
	midnight   = regexp.MustCompile(`(?i)[T ]+(0?0:00(:00(\.0+)?)?|12:00(:00)?(\.0+)? ?AM)$`)
	noEnd      = map[string]bool{"perpetual": true, "lifetime": true, "never": true, "indefinite": true, "continuous": true, "open": true, "does not expire": true, "no expiration": true}
)

var months = []string{"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"}

// firstOfNone is the first year that stands for no end.
const firstOfNone = 2900

// dayForms is what the days of a column, or of the file, look like.
type dayForms struct {
	orders
	// ofNone is what those tell that stand for no day, such as 12/31/9999.
	ofNone orders
	// all are the days, and dots those with dots.
	all, dots int
	// serial and compact are how many are numbers of days, and have eight digits, and
	// yearFirst how many of these can begin with a year.
	serial, compact, yearFirst int
}

// orders is what days tell of their order.
type orders struct {
	// numeric are the days whose order counts.
	numeric int
	// dayFirst and monthFirst are the columns that have a day which begins so, and no other way.
	dayFirst, monthFirst []string
	// open is true if there is a day that could be two.
	open bool
}

// note looks at a value of a day.
func (f *dayForms) note(column, value string) {
	if isNone(value) || noValue[strings.ToLower(value)] {
		return
	}
	value = midnight.ReplaceAllString(value, "")
	f.all++
	switch {
	case serialDay.MatchString(value):
		f.serial++
	case compactDay.MatchString(value):
		f.compact++
		if isYearFirst(value) {
			f.yearFirst++
			return
		}
		f.order(column, value[:2], value[2:4])
	default:
		parts := numericDay.FindStringSubmatch(value)
		if parts == nil {
			if !isoDay.MatchString(value) && !namedDay.MatchString(value) && !namedMonth.MatchString(value) {
				f.all--
			}
			return
		}
		if parts[2] == "." {
			f.dots++
		}
		if year, _ := strconv.Atoi(parts[4]); year >= firstOfNone { // it tells the order only if no day does
			f.ofNone.order(column, parts[1], parts[3])
			f.numeric++
			f.all--
			return
		}
		f.order(column, parts[1], parts[3])
	}
}

// isYearFirst reports whether eight digits can begin with a year.
func isYearFirst(value string) bool {
	year, _ := strconv.Atoi(value[:4])
	month, _ := strconv.Atoi(value[4:6])
	return month <= 12 && (year >= 1900 && year < 2201 || year >= firstOfNone && year != 3112)
}

// order notes what the first two parts of a day tell of their order.
func (f *orders) order(column, first, second string) {
	f.numeric++
	a, _ := strconv.Atoi(first)
	b, _ := strconv.Atoi(second)
	switch {
	case a > 12 && b <= 12:
		f.dayFirst = appendOnce(f.dayFirst, column)
	case b > 12 && a <= 12:
		f.monthFirst = appendOnce(f.monthFirst, column)
	case a != b:
		f.open = true
	}
}

func appendOnce(list []string, one string) []string {
	if slices.Contains(list, one) {
		return list
	}
	return append(list, one)
}

// dayReader reads the days of a column.
type dayReader struct {
	// isEnd is true of days on which something ends.
	isEnd             bool
	order             Order
	serial, yearFirst bool
	// latest is the last day that two digits of a year can mean.
	latest date.Date
}

// latestOf returns the last day that a column can sensibly have: nobody is born tomorrow,
// licences begin by next year, and end within decades.
func latestOf(column string, today date.Date) date.Date {
	switch {
	case column == "birthDate":
		return today
	case isEnd(column):
		return today.AddDays(50 * 366)
	}
	return today.AddDays(5 * 366)
}

// isEnd reports whether a column says when something ends: it may say that it does not.
func isEnd(column string) bool {
	return strings.HasSuffix(column, "Through") || column == "expirationDate"
}

// isNone reports whether a text says that there is no day.
func isNone(value string) bool {
	digits := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, value)
	if digits != "" && strings.Trim(digits, "0") == "" && len(digits) >= 6 {
		return true
	}
	return noEnd[plain(value)]
}

// read returns a day as 2026-02-15; none is true for one that stands for no day. What is no
// day stays as it is, and is refused.
func (d dayReader) read(value string) (day string, none bool) {
	if isNone(value) && (d.isEnd || !noEnd[plain(value)]) {
		return "", true
	}
	bare := midnight.ReplaceAllString(value, "")
	y, m, n, ok := d.parts(bare)
	switch {
	case !ok:
		return value, false
	case y >= firstOfNone && d.isEnd:
		return "", true
	}
	at := time.Date(y, time.Month(m), n, 0, 0, 0, 0, time.UTC)
	if at.Day() != n || int(at.Month()) != m {
		return value, false
	}
	return at.Format(time.DateOnly), false
}

func (d dayReader) parts(value string) (y, m, day int, ok bool) {
	number := func(s string) int {
		n, _ := strconv.Atoi(s)
		return n
	}
	if p := isoDay.FindStringSubmatch(value); p != nil {
		return number(p[1]), number(p[2]), number(p[3]), true
	}
	if d.serial && serialDay.MatchString(value) {
		at := time.Date(1899, 12, 30+number(value[:5]), 0, 0, 0, 0, time.UTC)
		return at.Year(), int(at.Month()), at.Day(), true
	}
	if compactDay.MatchString(value) {
		if d.yearFirst {
			return number(value[:4]), number(value[4:6]), number(value[6:]), true
		}
		return d.ordered(value[:2], value[2:4], value[4:])
	}
	if p := numericDay.FindStringSubmatch(value); p != nil {
		return d.ordered(p[1], p[3], p[4])
	}
	if p := namedDay.FindStringSubmatch(value); p != nil {
		m = monthOf(p[2])
		day = number(p[1])
		return d.year(p[3], m, day), m, day, m > 0
	}
	if p := namedMonth.FindStringSubmatch(value); p != nil {
		m = monthOf(p[1])
		day = number(p[2])
		return d.year(p[3], m, day), m, day, m > 0
	}
	return 0, 0, 0, false
}

func monthOf(name string) int {
	return slices.IndexFunc(months, func(month string) bool { return strings.HasPrefix(month, strings.ToLower(name)) }) + 1
}

func (d dayReader) ordered(a, b, year string) (y, m, day int, ok bool) {
	m, _ = strconv.Atoi(a)
	day, _ = strconv.Atoi(b)
	if d.order == DayFirst {
		m, day = day, m
	}
	return d.year(year, m, day), m, day, true
}

// year reads a year; two digits are the last such year that the column can mean.
func (d dayReader) year(text string, m, day int) int {
	y, _ := strconv.Atoi(text)
	if len(text) == 4 || m < 1 || m > 12 {
		return y
	}
	for y += 2200; y > 1900 && date.Of(y, time.Month(m), day) > d.latest; {
		y -= 100
	}
	return y
}
