package plan

import "strconv"

// AppendInt appends a number.
func AppendInt[N int | int64](b []byte, n N) []byte { return strconv.AppendInt(b, int64(n), 10) }

// AppendBool appends a boolean.
func AppendBool(b []byte, v bool) []byte { return strconv.AppendBool(b, v) }

// Null appends null.
func Null(b []byte) []byte { return append(b, "null"...) }

const hex = "0123456789ABCDEF"

// String appends a text in quotes, escaped as the generated executor does.
func String[S string | []byte](b []byte, s S) []byte {
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 0x20 && c != '\\' && c != '"' {
			continue
		}
		b = append(b, s[start:i]...)
		start = i + 1
		switch c {
		case '\t':
			b = append(b, `\t`...)
		case '\r':
			b = append(b, `\r`...)
		case '\n':
			b = append(b, `\n`...)
		case '\\', '"':
			b = append(b, '\\', c)
		default:
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&0xf])
		}
	}
	return append(append(b, s[start:]...), '"')
}
