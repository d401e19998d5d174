package data

import (
	_ "embed" // for the list
	"encoding/json"
)

// Certificate is a proof of a board's value, as endwise prove writes it.
type Certificate struct {
	Game   string `json:"game"`
	Board  string `json:"board"`
	Value  int    `json:"value"`
	Bytes  int    `json:"bytes"` // of the proof, unpacked and without its header
	SHA256 string `json:"sha256"`
	File   string `json:"file,omitempty"` // where it ships, from the repository's root
}

//go:embed results/certificates.json
var certificates []byte

// Certificates are all that are known. Most do not ship.
func Certificates() []Certificate {
	var list []Certificate
	if err := json.Unmarshal(certificates, &list); err != nil {
		panic(err) // the list is embedded above
	}
	return list
}
