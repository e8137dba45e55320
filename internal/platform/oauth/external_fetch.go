package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// maxRemoteAnswer limits the answer of an issuer, in bytes.
const maxRemoteAnswer = 256 << 10

// discover returns the address of an issuer's keys: by OpenID Connect Discovery §4, or
// else by RFC 8414 §3.
func (k *remoteKeys) discover(ctx context.Context) (string, error) {
	var found struct {
		Issuer  string `json:"issuer"`
		JWKSURI string `json:"jwks_uri"`
	}
	err := k.get(ctx, strings.TrimSuffix(k.issuer.Issuer, "/")+OpenIDPath, &found)
	if err != nil {
		err = k.get(ctx, metadataAddress(k.issuer.Issuer), &found)
	}
	switch {
	case err != nil:
		return "", err
	// RFC 8414 §3.3: the issuer "MUST be identical"; otherwise the document "MUST
	// NOT be used".
	case found.Issuer != k.issuer.Issuer:
		return "", errors.New("the metadata is of another issuer")
	case !k.secure(found.JWKSURI):
		return "", errors.New("the metadata has no https jwks_uri")
	}
	return found.JWKSURI, nil
}

// metadataAddress puts the well-known path before the path of an issuer (RFC 8414
// §3.1).
func metadataAddress(issuer string) string {
	u, _ := url.Parse(issuer) // the configuration was checked
	u.Path = MetadataPath + strings.TrimSuffix(u.Path, "/")
	return u.String()
}

// get reads a JSON document.
func (k *remoteKeys) get(ctx context.Context, address string, into any) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	r.Header.Set("Accept", "application/json")
	answer, err := k.client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %d", address, answer.StatusCode)
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxRemoteAnswer+1))
	if err != nil {
		return err
	}
	if len(text) > maxRemoteAnswer {
		return fmt.Errorf("%s answers with more than %d bytes", address, maxRemoteAnswer)
	}
	return json.Unmarshal(text, into)
}
