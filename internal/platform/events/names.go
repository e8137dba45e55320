package events

// byName finds the types that a name of a subscription stands for: a full name,
// a short name, or "Platform.AgencyManagement.Events.*".
var byName = func() map[string][]string {
	names := map[string][]string{}
	for _, t := range catalogue {
		for _, name := range []string{t.Name, t.ShortName, t.Wildcard} {
			names[name] = append(names[name], t.Name)
		}
	}
	return names
}()

// Lookup returns the type of a full or short name.
func Lookup(name string) (Type, bool) {
	for _, t := range catalogue {
		if t.Name == name || t.ShortName == name {
			return t, true
		}
	}
	return Type{}, false
}

// Known reports whether a subscription may use a name: a full name, a short
// name, or the prefix of an area with a star.
func Known(name string) bool { return byName[name] != nil }

// Resolve returns the full names that names stand for, each once, and the indexes of
// unknown names.
func Resolve(names []string) (types []string, unknown []int) {
	seen := map[string]bool{}
	for i, name := range names {
		if !Known(name) {
			unknown = append(unknown, i)
		}
		for _, t := range byName[name] {
			if !seen[t] {
				seen[t] = true
				types = append(types, t)
			}
		}
	}
	return types, unknown
}
