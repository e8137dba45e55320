// Package scan walks over JSON without decoding it: the answers of the executor change
// little on their way out. Its functions rely on the text being valid, and return ErrJSON
// where they find that it is not.
package scan

import "errors"

// ErrJSON says that a text is not valid JSON.
var ErrJSON = errors.New("scan: the text is not valid JSON")

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// skipString returns the index after the string whose quote is at i.
func skipString(b []byte, i int) (int, error) {
	for i++; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1, nil
		}
	}
	return 0, ErrJSON
}

// skipValue returns the index after the value that starts at i.
func skipValue(b []byte, i int) (int, error) {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			end, err := skipString(b, i)
			if err != nil || depth == 0 {
				return end, err
			}
			i = end
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth < 0 {
				return 0, ErrJSON
			}
			if depth == 0 {
				return i + 1, nil
			}
		default:
			if depth == 0 {
				return skipLiteral(b, i)
			}
		}
		i++
	}
	return 0, ErrJSON
}

// skipLiteral returns the index after a number, true, false or null.
func skipLiteral(b []byte, i int) (int, error) {
	start := i
	for i < len(b) && (b[i] >= '0' && b[i] <= '9' || b[i] >= 'a' && b[i] <= 'z' || b[i] == '-' || b[i] == '+' || b[i] == '.' || b[i] == 'E') {
		i++
	}
	if i == start {
		return 0, ErrJSON
	}
	return i, nil
}

// Members calls f for each property of an object, in order. The names are GraphQL
// names, which contain no escapes.
func Members(b []byte, f func(name, value []byte) error) error {
	return each(b, '{', '}', func(i int) (int, error) {
		if i >= len(b) || b[i] != '"' {
			return 0, ErrJSON
		}
		end, err := skipString(b, i)
		if err != nil {
			return 0, err
		}
		name := b[i+1 : end-1]
		i = skipSpace(b, end)
		if i >= len(b) || b[i] != ':' {
			return 0, ErrJSON
		}
		i = skipSpace(b, i+1)
		end, err = skipValue(b, i)
		if err != nil {
			return 0, err
		}
		return end, f(name, b[i:end])
	})
}

// Elements calls f for each element of an array, in order.
func Elements(b []byte, f func(value []byte) error) error {
	return each(b, '[', ']', func(i int) (int, error) {
		end, err := skipValue(b, i)
		if err != nil {
			return 0, err
		}
		return end, f(b[i:end])
	})
}

// each calls part for each part between two brackets. part gets the index at which the
// part starts and returns the index after it.
func each(b []byte, opening, closing byte, part func(i int) (int, error)) error {
	i := skipSpace(b, 0)
	if i >= len(b) || b[i] != opening {
		return ErrJSON
	}
	i = skipSpace(b, i+1)
	if i < len(b) && b[i] == closing {
		return nil
	}
	for {
		end, err := part(i)
		if err != nil {
			return err
		}
		i = skipSpace(b, end)
		switch {
		case i < len(b) && b[i] == ',':
			i = skipSpace(b, i+1)
		case i < len(b) && b[i] == closing:
			return nil
		default:
			return ErrJSON
		}
	}
}

// Member returns the value of a property; nil if the object has no such property.
func Member(b []byte, name string) ([]byte, error) {
	var found []byte
	err := Members(b, func(n, value []byte) error {
		if string(n) == name {
			found = value
		}
		return nil
	})
	return found, err
}

// IsNull reports whether a value is null, or not there.
func IsNull(b []byte) bool { return len(b) == 0 || string(b) == "null" }

// Cut returns the elements of an array from an offset on, at most size of them, as an
// array, and how many elements the whole array has.
func Cut(list []byte, offset, size int) (part []byte, total int, err error) {
	part = append(part, '[')
	err = Elements(list, func(element []byte) error {
		if total >= offset && total < offset+size {
			if len(part) > 1 {
				part = append(part, ',')
			}
			part = append(part, element...)
		}
		total++
		return nil
	})
	return append(part, ']'), total, err
}
