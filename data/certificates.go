package data

import (
	_ "embed" // for the lists
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
func Certificates() []Certificate { return listIn[Certificate](certificates) }

// PublishedValue is a published value of an empty board, for the player who begins.
type PublishedValue struct {
	Game  string `json:"game"`
	Board string `json:"board"`
	Value int    `json:"value"`
	By    string `json:"by"`
}

//go:embed results/published.json
var published []byte

// Published are the published values that no certificate proves.
func Published() []PublishedValue { return listIn[PublishedValue](published) }

// listIn reads an embedded list.
func listIn[T any](text []byte) (list []T) {
	if err := json.Unmarshal(text, &list); err != nil {
		panic(err)
	}
	return list
}
