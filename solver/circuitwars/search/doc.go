// Package search is the anytime search of Circuit Wars for positions beyond exact
// solving (search.go), with its evaluation (evaluate.go) and a guess at what an
// opponent may reply (guide.go).
package search
