package agency

import (
	"regexp"
	"strings"

	"github.com/uplinehq/upline/internal/agency/imports"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/problem"
)

// readPhone reads a telephone number: "{ areaCode, phoneNumber, countryCode }"
// (Resources, "Agent"). Other systems write it in one, +15550104729. Such a number is
// split, since otherwise it would be a number of country 1 that begins with +1.
func readPhone(r *imports.Row, name string) (u Phone) {
	r.RecordBelow(name+".", PhoneFields, &u, nil)
	if u.PhoneNumber.Value == nil {
		return u
	}
	if u.AreaCode.Value == nil && u.CountryCode.Value == nil {
		if parts := american.FindStringSubmatch(*u.PhoneNumber.Value); parts != nil {
			number := parts[2] + parts[3]
			if parts[4] != "" {
				number += " x" + parts[4]
			}
			return Phone{CountryCode: patch.Set("1"), AreaCode: patch.Set(parts[1]), PhoneNumber: patch.Set(number)}
		}
	}
	if !strings.HasPrefix(*u.PhoneNumber.Value, "+") {
		return u
	}
	country, area, number, ok := splitPhone(*u.PhoneNumber.Value)
	switch {
	case !ok:
		r.Check.Refuse(problem.InvalidFormat, "begins with + and must then be a country's code and a number in it, such as +1 555 010 4729", name, "phoneNumber")
		return u
	case u.AreaCode.Value != nil || u.CountryCode.Value != nil && strings.TrimPrefix(*u.CountryCode.Value, "+") != country:
		r.Check.Refuse(problem.InvalidFormat, "begins with +, and so says the country and the area, as another column does", name, "phoneNumber")
	}
	split := Phone{CountryCode: patch.Set(country), AreaCode: patch.Null[string](), PhoneNumber: patch.Set(number)}
	if area != "" {
		split.AreaCode = patch.Set(area)
	}
	return split
}

// american finds the parts of a number of ten digits in any of the forms of North America:
// (512) 555-0147, 1.512.555.0147 x12, 512/555/0147, extension 3.
var american = regexp.MustCompile(`(?i)^(?:\+?1[ .\-/]*)?\(?([2-9]\d{2})\)?[ .\-/]*(\d{3})[ .\-/]*(\d{4})(?:[ ,;]*(?:x|ext\.?|extension|#)[ .:]*(\d{1,8}))?$`)

// longCountryCodes are the first two digits of country codes with three digits (ITU-T
// E.164). Codes that begin with 1 or 7 have one digit, all others two.
const longCountryCodes = " 21 22 23 24 25 26 29 35 37 38 42 50 59 67 68 69 80 85 87 88 96 97 99 "

// noCountryCodes are pairs of digits with which no country code begins.
const noCountryCodes = " 28 83 89 "

// splitPhone splits an international telephone number. The length of the area code is
// known only for country code 1.
func splitPhone(text string) (country, area, number string, ok bool) {
	digits := strings.Map(func(r rune) rune {
		if strings.ContainsRune(" -.()/", r) {
			return -1
		}
		return r
	}, text[1:])
	isOther := func(r rune) bool { return r < '0' || r > '9' }
	if len(digits) < 8 || len(digits) > 15 || digits[0] == '0' || strings.ContainsFunc(digits, isOther) {
		return "", "", "", false
	}
	length := 2
	switch two := " " + digits[:2] + " "; {
	case digits[0] == '1' || digits[0] == '7':
		length = 1
	case strings.Contains(longCountryCodes, two):
		length = 3
	case strings.Contains(noCountryCodes, two):
		return "", "", "", false
	}
	country, number = digits[:length], digits[length:]
	if country != "1" {
		return country, "", number, true
	}
	if len(number) != 10 {
		return "", "", "", false
	}
	return country, number[:3], number[3:], true
}
