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
func Certificates() []Certificate { return listIn[Certificate](certificates) }

// PublishedValue is a published value of an empty board for the first player.
type PublishedValue struct {
	Game  string `json:"game"`
	Board string `json:"board"`
	Value int    `json:"value"`
	By    string `json:"by"`
}

//go:embed results/published.json
var published []byte

// Published lists the published values that no certificate proves.
func Published() []PublishedValue { return listIn[PublishedValue](published) }

// listIn decodes an embedded list.
func listIn[T any](text []byte) (list []T) {
	if err := json.Unmarshal(text, &list); err != nil {
		panic(err)
	}
	return list
}
