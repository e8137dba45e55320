package webhooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"
	"time"
)

// signatures returns the header webhook-signature of Standard Webhooks 1.0.0:
// one signature for each secret, over id, timestamp and body.
func signatures(secrets []string, eventID string, at time.Time, body []byte) (string, error) {
	all := make([]string, len(secrets))
	for i, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(secret)
		if err != nil {
			return "", err
		}
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(eventID + "." + timestamp(at) + "."))
		mac.Write(body)
		all[i] = "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	}
	return strings.Join(all, " "), nil
}

func timestamp(at time.Time) string { return strconv.FormatInt(at.Unix(), 10) }
