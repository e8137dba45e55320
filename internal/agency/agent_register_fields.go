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

func (c Contact) given() (fields []string) {
	for _, kind := range addressKinds {
		if a := c.Addresses[kind]; a != nil {
			for _, p := range a.parts(new(AddressUpdate)) {
				if *p.text != nil {
					fields = append(fields, fieldOfAddress[kind]+"."+p.field)
				}
			}
		}
	}
	for _, kind := range phoneKinds {
		if p := c.Phones[kind]; p != nil {
			fields = append(fields, fieldOfPhone[kind]+".countryCode", fieldOfPhone[kind]+".phoneNumber")
			if p.AreaCode != nil {
				fields = append(fields, fieldOfPhone[kind]+".areaCode")
			}
		}
	}
	return fields
}
