// Package data is what ships inside the binary.
package data

import "embed"

// Benchmark holds games that our own players (endwise arena, levels 2 to 4,
// six random opening moves) played on 7x7, as logs in
// benchmark/circuitwars/*.log.
//
//go:embed benchmark
var Benchmark embed.FS
