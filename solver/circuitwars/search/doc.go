// Package search is an anytime heuristic search of Circuit Wars, for positions too large to solve.
// Scores are estimates, never proofs. data/results/tried-circuitwars.md lists rejected variants.
package search
