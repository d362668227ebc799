// Verifies webhooks. Copy Verify; main runs it against the golden vectors: go run verify.go webhooks.json
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var seconds = regexp.MustCompile(`^[0-9]{1,12}$`)
var signatures = map[string]*regexp.Regexp{
	"v1":     regexp.MustCompile(`^v1=[0-9a-f]{64}$`),
	"sha256": regexp.MustCompile(`^sha256=[0-9a-f]{64}$`),
}

// Verify returns "" for a genuine webhook, else the reason. Headers are the Header of a net/http request, and the body is
// its raw bytes.
func Verify(headers map[string][]string, body []byte, secrets []string, scheme string, tolerance time.Duration, now time.Time) string {
	if len(secrets) == 0 {
		return "secret_missing"
	}
	signed := body
	if scheme == "v1" {
		timestamps := headers["X-Service-Timestamp"]
		if len(timestamps) == 0 {
			return "timestamp_missing"
		}
		if len(timestamps) > 1 || !seconds.MatchString(timestamps[0]) {
			return "timestamp_malformed"
		}
		sentAt, _ := strconv.ParseInt(timestamps[0], 10, 64)
		age := now.Sub(time.Unix(sentAt, 0))
		if age > tolerance {
			return "timestamp_too_old"
		}
		if age < -tolerance {
			return "timestamp_too_new"
		}
		signed = append([]byte(timestamps[0]+"."), body...)
	}
	given := append([]string{}, headers["X-Service-Signature"]...)
	given = append(given, headers["X-Service-Signature-Next"]...)
	if len(given) == 0 {
		return "signature_missing"
	}
	reason := "signature_malformed"
	for _, text := range given {
		if !signatures[scheme].MatchString(text) {
			continue
		}
		reason = "signature_mismatch"
		for _, secret := range secrets {
			mac := hmac.New(sha256.New, []byte(secret))
			mac.Write(signed)
			expected := scheme + "=" + hex.EncodeToString(mac.Sum(nil))
			if hmac.Equal([]byte(expected), []byte(text)) {
				if json.Valid(body) {
					return ""
				}
				return "body_not_json"
			}
		}
	}
	return reason
}

type vector struct {
	Scheme           string
	Secrets          []string
	Now              int64
	ToleranceSeconds int64
	Headers          map[string]string
	BodyBase64       []byte
}

// As net/http writes the names of headers.
func canonical(name string) string {
	words := strings.Split(name, "-")
	for i, word := range words {
		words[i] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, "-")
}

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	var file struct{ Vectors []vector }
	if err := json.Unmarshal(text, &file); err != nil {
		panic(err)
	}
	reasons := []*string{}
	for _, one := range file.Vectors {
		headers := map[string][]string{}
		for name, value := range one.Headers {
			headers[canonical(name)] = []string{value}
		}
		tolerance := time.Duration(one.ToleranceSeconds) * time.Second
		reason := Verify(headers, one.BodyBase64, one.Secrets, one.Scheme, tolerance, time.Unix(one.Now, 0))
		if reason == "" {
			reasons = append(reasons, nil)
		} else {
			reasons = append(reasons, &reason)
		}
	}
	answer, _ := json.Marshal(reasons)
	fmt.Println(string(answer))
}
