package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"endwise/cmd/endwise/cli"
	"endwise/cmd/endwise/web/answer"
	"endwise/engine"
	"endwise/engine/disk"
	"endwise/engine/grid"
	"endwise/solver/certificate"
)

// claimsOptions are the flags of verify for a claims file.
type claimsOptions struct {
	file, checker  string
	sample, hashMB int
	seed           uint64
}

// smallLeaf is the largest number of searched positions for which verify writes a certificate of a
// leaf. Even such a leaf can have a certificate of more than a million moves, because rules of the
// search decide positions that the certificate must continue.
const smallLeaf = 10_000

// leafPosition returns the position of a leaf of c. A leaf does not record the owners of the
// closed squares; in the position, player 1 owns them all.
func leafPosition(games cli.Games, c *certificate.ClaimsFile, l certificate.Leaf) (engine.Position, error) {
	g, err := games.Named(c.Game)
	if err != nil {
		return nil, err
	}
	b, err := grid.New(c.Rows, c.Cols)
	if err != nil {
		return nil, err
	}
	return g.Web.Rules.Game.FromKey(b.Key(nil, grid.Set{l.Position}))
}

// verify solves random leaves of the claims file anew and prints a line for each. It returns
// an error if one is wrong.
func (o *claimsOptions) verify(ctx context.Context, games cli.Games, w io.Writer) error {
	if err := cmp.Or(cli.Want(o.sample >= 1, "--sample", o.sample, "1 or more"), cli.WantHash("--hash", o.hashMB)); err != nil {
		return err
	}
	c, err := o.read(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s %s: value %d if %s are true, digest %s\n", c.Game, c.Board(), c.Value, cli.Count(len(c.Leaves), "claim"), c.Digest())
	dir, err := os.MkdirTemp("", "endwise-claims-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	wrong, checked, solved := 0, 0, min(o.sample, len(c.Leaves))
	for _, i := range rand.New(rand.NewPCG(o.seed, 0)).Perm(len(c.Leaves))[:solved] {
		l := c.Leaves[i]
		position, err := leafPosition(games, c, l)
		if err != nil {
			return err
		}
		begin := time.Now()
		result, err := c.Solve(ctx, l, certificate.Options{HashBytes: int64(o.hashMB) << 20})
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		verdict := "true"
		switch {
		case result.Lower < l.Least:
			wrong++
			verdict = fmt.Sprintf("WRONG, the value is at most %s", answer.Signed(result.Upper))
		case o.checker != "" && result.Nodes <= smallLeaf:
			checked++
			if verdict, err = o.check(ctx, c, l, position, filepath.Join(dir, "leaf.gz")); err != nil {
				return err
			}
		}
		fmt.Fprintf(w, "claim %d, position %q, at least %s: %s; %s searched in %s\n", i, position.String(),
			answer.Signed(int(l.Least)), verdict, cli.Count(int(result.Nodes), "position"), cli.Seconds(time.Since(begin)))
	}
	if wrong > 0 {
		return fmt.Errorf("wrong: %d of %s", wrong, cli.Count(solved, "claim"))
	}
	certificates := ""
	if o.checker != "" {
		certificates = fmt.Sprintf(", %d of them by a certificate that the checker accepts", checked)
	}
	// If more than most percent of all claims were wrong, the probability of a sample without a
	// wrong claim would be below 5 %.
	most := 100 * (1 - math.Pow(0.05, 1/float64(max(solved, 1))))
	_, err = fmt.Fprintf(w, "%s solved anew, none is wrong%s: at most %.2g %% of all are wrong, with 95 %% confidence\n",
		cli.Count(solved, "random claim"), certificates, most)
	return err
}

// read reads the claims file and checks that its value follows from its leaves.
func (o *claimsOptions) read(ctx context.Context) (*certificate.ClaimsFile, error) {
	f, err := os.Open(o.file)
	if err != nil {
		return nil, cli.BadInput(fmt.Errorf("--claims: %w", err))
	}
	defer f.Close()
	c, err := certificate.ReadClaims(ctx, f)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, cli.BadInput(fmt.Errorf("--claims %s: %w", o.file, err))
	}
	return c, nil
}

// check writes the certificate of a leaf to path, runs the checker with it, and returns the
// verdict to print. A checker accepts a certificate if it succeeds and prints the digest.
func (o *claimsOptions) check(ctx context.Context, c *certificate.ClaimsFile, l certificate.Leaf, position engine.Position, path string) (string, error) {
	proof, err := c.Prove(ctx, l, certificate.Options{HashBytes: int64(o.hashMB) << 20})
	if err == nil {
		err = disk.WriteFile(path, 0o644, proof.Encode)
	}
	if err != nil {
		return "", err
	}
	command := append(strings.Fields(o.checker), path)
	out, err := exec.CommandContext(ctx, command[0], command[1:]...).CombinedOutput()
	if err != nil || !strings.Contains(string(out), proof.Digest()) {
		return "", fmt.Errorf("%s does not accept the certificate of position %q: %s %w",
			o.checker, position.String(), out, errors.Join(err, ctx.Err()))
	}
	return fmt.Sprintf("true, certificate of %s accepted", cli.Count(len(proof.Body), "move")), nil
}
