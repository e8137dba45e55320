package record

import "github.com/uplinehq/upline/internal/scan"

// Append appends a value of the response in its REST form.
func (p *Plan) Append(buf, value []byte) ([]byte, error) {
	if p.verbatim || scan.IsNull(value) {
		return append(buf, value...), nil
	}
	switch p.Kind {
	case Enum:
		return p.writeEnum(buf, value)
	case Single:
		return p.writeSingle(buf, value)
	case List:
		return p.writeList(buf, value)
	case Entries:
		return p.writeEntries(buf, value)
	default:
		return p.writeObject(buf, value)
	}
}

// writeEnum writes a value in its REST spelling. A value without a spelling, which only a
// text in a preview can be, is written as null: one value must not cost the whole answer.
func (p *Plan) writeEnum(buf, value []byte) ([]byte, error) {
	if len(value) < 2 {
		return nil, scan.ErrJSON
	}
	spelling, ok := p.spellings[string(value[1:len(value)-1])]
	if !ok {
		return append(buf, "null"...), nil
	}
	buf = append(buf, '"')
	buf = append(buf, spelling...)
	return append(buf, '"'), nil
}

func (p *Plan) writeSingle(buf, value []byte) ([]byte, error) {
	only, err := scan.Member(value, p.Members[0].Name)
	if err != nil || only == nil {
		return nil, scan.ErrJSON
	}
	return p.Members[0].Plan.Append(buf, only)
}

func (p *Plan) writeList(buf, value []byte) ([]byte, error) {
	buf = append(buf, '[')
	err := scan.Elements(value, func(element []byte) error {
		var err error
		buf, err = p.Elem.Append(separate(buf, '['), element)
		return err
	})
	return append(buf, ']'), err
}

// writeEntries writes a list of keys and values as an object.
func (p *Plan) writeEntries(buf, value []byte) ([]byte, error) {
	name, content := p.Elem.Members[0], p.Elem.Members[1]
	buf = append(buf, '{')
	err := scan.Elements(value, func(element []byte) error {
		key, err := scan.Member(element, name.Name)
		if err != nil || scan.IsNull(key) {
			return scan.ErrJSON
		}
		held, err := scan.Member(element, content.Name)
		if err != nil || held == nil {
			return scan.ErrJSON
		}
		buf, err = content.Plan.Append(append(append(separate(buf, '{'), key...), ':'), held)
		return err
	})
	return append(buf, '}'), err
}

func (p *Plan) writeObject(buf, value []byte) ([]byte, error) {
	if p.KeyedBy != "" {
		key, err := scan.Member(value, p.KeyedBy)
		if err != nil || scan.IsNull(key) {
			return nil, scan.ErrJSON
		}
		buf = append(append(append(buf, '{'), key...), ':')
	}
	buf, err := p.writeMembers(append(buf, '{'), value)
	if p.KeyedBy != "" {
		buf = append(buf, '}')
	}
	return append(buf, '}'), err
}

// writeMembers appends the members of an object without its brackets.
func (p *Plan) writeMembers(buf, value []byte) ([]byte, error) {
	next := 0
	err := scan.Members(value, func(name, v []byte) error {
		m := p.find(name, &next)
		var err error
		switch {
		case m == nil || m.Drop || m.Name == p.KeyedBy || m.Absent && scan.IsNull(v):
		case m.Spread && scan.IsNull(v):
		case m.Spread:
			buf, err = m.Plan.writeMembers(buf, v)
		default:
			buf, err = m.Plan.Append(append(separate(buf, '{'), m.label...), v)
		}
		return err
	})
	return buf, err
}

// find returns the member of a name. Responses come in the order of the
// selection, so the next one is tried first.
func (p *Plan) find(name []byte, next *int) *Property {
	for range p.Members {
		m := &p.Members[*next%len(p.Members)]
		*next++
		if m.Name == string(name) {
			return m
		}
	}
	return nil
}

// separate appends a comma unless buf ends with the opening bracket.
func separate(buf []byte, opening byte) []byte {
	if buf[len(buf)-1] == opening {
		return buf
	}
	return append(buf, ',')
}
