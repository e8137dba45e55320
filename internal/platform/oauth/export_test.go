package oauth

// ForgetTokens makes the next request with any token be checked in full.
func (v *Verifier) ForgetTokens() { v.seen.Purge() }
