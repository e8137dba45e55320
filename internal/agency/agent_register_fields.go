package agency

// given names the fields of a registration that hold a value, for the audit
// entry, as an update names those that it changes. The sensitive ones, W9 and
// direct deposit are noted where they are stored.
func (in Registration) given() []string {
	fields := append([]string{"status"}, in.Details.given()...)
	if in.AgentCode != nil {
		fields = append(fields, "agentCode")
	}
	for _, t := range in.Teams {
		if t.DirectUpline != nil {
			fields = append(fields, directUplineField)
		}
		if t.Level != nil {
			fields = append(fields, levelField)
		}
	}
	return append(fields, in.Contact.given()...)
}

func (c Contact) given() (names []string) {
	for _, kind := range addressKinds {
		if a := c.Addresses[kind]; a != nil {
			names = append(names, below(fieldOfAddress[kind], AddressFields.Given(a))...)
		}
	}
	for _, kind := range phoneKinds {
		if p := c.Phones[kind]; p != nil {
			names = append(names, below(fieldOfPhone[kind], PhoneFields.Given(p))...)
		}
	}
	return names
}
