// Package search is live play without exact values: the built-in levels that
// serve as opponents (levels.go), the anytime search of Circuit Wars
// (circuitwars.go) with its evaluation (circuitwars_board.go) and a guess at what
// an opponent may reply (circuitwars_guide.go). Watch Your Back has a package of
// its own below; Dots and Boxes searches live in package coins of the solver,
// whose exact values it needs.
package search
