package data

import (
	_ "embed" // for the lists
	"encoding/json"
)

// Certificate describes a proof of a board's value, as endwise prove writes it.
type Certificate struct {
	Game   string `json:"game"`
	Board  string `json:"board"`
	Value  int    `json:"value"`
	Bytes  int    `json:"bytes"` // size of the proof, uncompressed and without its header
	SHA256 string `json:"sha256"`
	File   string `json:"file,omitempty"` // path in the repository, if it is included
}

//go:embed results/certificates.json
var certificates []byte

// Certificates lists all known certificates. Most are not included in the repository.
func Certificates() (list []Certificate) {
	if err := json.Unmarshal(certificates, &list); err != nil {
		panic(err)
	}
	return list
}
