// Package search provides an anytime heuristic search of Circuit Wars for positions too
// large to solve. [Searcher] searches (search.go) on bitboards (board.go) with a static
// evaluation (evaluate.go). [Guide] estimates which replies an opponent is likely to choose
// (guide.go). Scores are estimates, never proofs.
//
// data/results/tried-circuitwars.md lists what was tried.
package search
