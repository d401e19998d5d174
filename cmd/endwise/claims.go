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

type claimsOptions struct {
	file, checker  string
	sample, hashMB int
	seed           uint64
}

// smallLeaf is the maximum number of searched positions for which verify writes a leaf's certificate.
const smallLeaf = 10_000

// leafPosition returns the position of a leaf, in which player 1 owns all closed squares.
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

// verify solves random claims of the file and prints the results. A wrong claim is an error.
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
	n := float64(max(solved, 1))
	most := 100 * (1 - math.Pow(0.05, 1/n)) // then the probability of n true claims is 5 %
	_, err = fmt.Fprintf(w, "%s solved anew, none is wrong%s: at most %.2g %% of all are wrong, with 95 %% confidence\n",
		cli.Count(solved, "random claim"), certificates, most)
	return err
}

func (o *claimsOptions) read(ctx context.Context) (*certificate.ClaimsFile, error) {
	f, err := os.Open(o.file)
	if err != nil {
		return nil, cli.BadInput(fmt.Errorf("--claims: %w", err))
	}
	defer f.Close()
	c, err := certificate.ReadClaims(ctx, f)
	if err != nil && ctx.Err() == nil {
		err = cli.BadInput(fmt.Errorf("--claims %s: %w", o.file, err))
	}
	return c, cmp.Or(ctx.Err(), err)
}

// check writes the certificate of a leaf to path and returns a verdict if the checker accepts it: if
// the checker succeeds and prints the digest.
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
