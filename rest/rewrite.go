package rest

// write appends a value of the response in its REST form.
func (p *plan) write(buf, value []byte) ([]byte, error) {
	if p.verbatim || isNull(value) {
		return append(buf, value...), nil
	}
	switch p.kind {
	case enumPlan:
		return p.writeEnum(buf, value)
	case singlePlan:
		return p.writeSingle(buf, value)
	case listPlan:
		return p.writeList(buf, value)
	case entriesPlan:
		return p.writeEntries(buf, value)
	default:
		return p.writeObject(buf, value)
	}
}

// writeEnum writes a value in its REST spelling. A value without a spelling, which only a
// text in a preview can be, is written as null: one value must not cost the whole answer.
func (p *plan) writeEnum(buf, value []byte) ([]byte, error) {
	if len(value) < 2 {
		return nil, errJSON
	}
	spelling, ok := p.spellings[string(value[1:len(value)-1])]
	if !ok {
		return append(buf, "null"...), nil
	}
	buf = append(buf, '"')
	buf = append(buf, spelling...)
	return append(buf, '"'), nil
}

func (p *plan) writeSingle(buf, value []byte) ([]byte, error) {
	only, err := member(value, p.members[0].name)
	if err != nil || only == nil {
		return nil, errJSON
	}
	return p.members[0].plan.write(buf, only)
}

func (p *plan) writeList(buf, value []byte) ([]byte, error) {
	buf = append(buf, '[')
	err := eachElement(value, func(element []byte) error {
		var err error
		buf, err = p.elem.write(separate(buf, '['), element)
		return err
	})
	return append(buf, ']'), err
}

// writeEntries writes a list of keys and values as an object.
func (p *plan) writeEntries(buf, value []byte) ([]byte, error) {
	name, content := p.elem.members[0], p.elem.members[1]
	buf = append(buf, '{')
	err := eachElement(value, func(element []byte) error {
		key, err := member(element, name.name)
		if err != nil || isNull(key) {
			return errJSON
		}
		held, err := member(element, content.name)
		if err != nil || held == nil {
			return errJSON
		}
		buf, err = content.plan.write(append(append(separate(buf, '{'), key...), ':'), held)
		return err
	})
	return append(buf, '}'), err
}

func (p *plan) writeObject(buf, value []byte) ([]byte, error) {
	if p.keyedBy != "" {
		key, err := member(value, p.keyedBy)
		if err != nil || isNull(key) {
			return nil, errJSON
		}
		buf = append(append(append(buf, '{'), key...), ':')
	}
	buf, err := p.writeMembers(append(buf, '{'), value)
	if p.keyedBy != "" {
		buf = append(buf, '}')
	}
	return append(buf, '}'), err
}

// writeMembers appends the members of an object without its brackets.
func (p *plan) writeMembers(buf, value []byte) ([]byte, error) {
	next := 0
	err := eachMember(value, func(name, v []byte) error {
		m := p.find(name, &next)
		var err error
		switch {
		case m == nil || m.drop || m.name == p.keyedBy || m.absent && isNull(v):
		case m.spread && isNull(v):
		case m.spread:
			buf, err = m.plan.writeMembers(buf, v)
		default:
			buf, err = m.plan.write(append(separate(buf, '{'), m.label...), v)
		}
		return err
	})
	return buf, err
}

// find returns the member of a name. Responses come in the order of the
// selection, so the next one is tried first.
func (p *plan) find(name []byte, next *int) *planMember {
	for range p.members {
		m := &p.members[*next%len(p.members)]
		*next++
		if m.name == string(name) {
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
