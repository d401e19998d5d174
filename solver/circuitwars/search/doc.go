// Package search provides an anytime heuristic search of Circuit Wars for positions too large to
// solve. Scores are estimates, never proofs. data/results/tried-circuitwars.md lists what was
// tried.
package search
