package identity

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// publicPart returns a JSON Web Key Set without the private members that it has, at whatever
// place; one without any as it is.
func publicPart(text string) string {
	if !hasPrivate(text) {
		return text
	}
	var set any
	if json.Unmarshal([]byte(text), &set) != nil {
		return ""
	}
	public, err := json.Marshal(withoutPrivate(set))
	if err != nil {
		return ""
	}
	return string(public)
}

// privateMembers are the members of a JSON Web Key that only its owner may know (RFC 7518
// §6.2.2, §6.3.2, §6.4.1).
var privateMembers = []string{"d", "p", "q", "dp", "dq", "qi", "oth", "k"}

// hasPrivate reads each member of each object, also one that is named again afterwards.
func hasPrivate(text string) bool {
	decode := json.NewDecoder(strings.NewReader(text))
	var inObject []bool
	isName := false
	for {
		token, err := decode.Token()
		if err != nil {
			return false
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			inObject = append(inObject, token == json.Delim('{'))
		case json.Delim('}'), json.Delim(']'):
			inObject = inObject[:len(inObject)-1]
		default:
			if name, isText := token.(string); isText && isName && isPrivate(name) {
				return true
			} else if isName {
				isName = false
				continue
			}
		}
		isName = len(inObject) > 0 && inObject[len(inObject)-1]
	}
}

func isPrivate(name string) bool { return slices.Contains(privateMembers, strings.ToLower(name)) }

func withoutPrivate(value any) any {
	switch value := value.(type) {
	case map[string]any:
		maps.DeleteFunc(value, func(name string, _ any) bool { return isPrivate(name) })
		for name, one := range value {
			value[name] = withoutPrivate(one)
		}
	case []any:
		for i, one := range value {
			value[i] = withoutPrivate(one)
		}
	}
	return value
}
