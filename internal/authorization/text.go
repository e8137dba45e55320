package authorization

import (
	"fmt"
	"strconv"
	"strings"
)

// TextSQL writes what the period x of history.Requirements requires as one text, which FromText
// reads. No code has the character between its parts.
const TextSQL = "coalesce(x.jurisdictions, '') || '|' || coalesce(x.certification_types, '') || '|' || CASE WHEN x.requires_all THEN 'all' ELSE '' END" +
	" || '|' || CASE WHEN x.is_resident THEN 'resident' WHEN NOT x.is_resident THEN 'other' ELSE '' END || '|' || coalesce(x.provider_company, '')" +
	" || '|' || CASE WHEN x.requires_active_status THEN 'active' ELSE '' END || '|' || coalesce(CAST(x.minimum_level AS text), '') || '|' || CAST(x.upline_depth AS text)"

// FromText returns the requirement of a text that TextSQL wrote.
func FromText(text string) (r Requirement, err error) {
	parts := strings.Split(text, "|")
	if len(parts) != 8 {
		return r, fmt.Errorf("authorization: %q is no requirement", text)
	}
	r = Requirement{Jurisdictions: parts[0], CertificationTypes: parts[1], All: parts[2] != "", ProviderCompany: parts[4], ActiveStatus: parts[5] != ""}
	if parts[3] != "" {
		if r.Residence = NonResident; parts[3] == "resident" {
			r.Residence = Resident
		}
	}
	if parts[6] != "" {
		r.HasLevel = true
		if r.MinimumLevel, err = strconv.Atoi(parts[6]); err != nil {
			return r, err
		}
	}
	r.UplineDepth, err = strconv.Atoi(parts[7])
	return r, err
}

// String says what is required, for people.
func (r Requirement) String() string {
	if r.IsEmpty() {
		return "nothing"
	}
	var all []string
	if r.CertificationTypes != "" {
		between := " or "
		if r.All {
			between = " and "
		}
		all = append(all, strings.ReplaceAll(r.CertificationTypes, ",", between))
	}
	if r.Residence == Resident {
		all = append(all, "resident certifications only")
	}
	if r.Residence == NonResident {
		all = append(all, "non-resident certifications only")
	}
	if r.ProviderCompany != "" {
		all = append(all, "an appointment by "+r.ProviderCompany)
	}
	if r.ActiveStatus {
		all = append(all, "an active pay status")
	}
	if r.HasLevel {
		all = append(all, fmt.Sprintf("a level of at least %d", r.MinimumLevel))
	}
	if r.UplineDepth > 0 {
		all = append(all, fmt.Sprintf("the same of %d uplines", r.UplineDepth))
	}
	said := strings.Join(all, ", ")
	if r.Jurisdictions != "" {
		said += " (in " + strings.ReplaceAll(r.Jurisdictions, ",", ", ") + ")"
	}
	return said
}
