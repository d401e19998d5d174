package main

import (
	"fmt"
	"os"
	"sort"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

func TestZZDump(t *testing.T) {
	type k struct{ name, usage, def, short, typ string }
	m := map[k][]string{}
	for _, c := range commands(t) {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Name == "help" {
				return
			}
			h := ""
			if f.Hidden {
				h = " HIDDEN"
			}
			key := k{f.Name, f.Usage + h, f.DefValue, f.Shorthand, f.Value.Type()}
			m[key] = append(m[key], strings.TrimPrefix(c.CommandPath(), "endwise "))
		})
	}
	var keys []k
	for x := range m {
		keys = append(keys, x)
	}
	sort.Slice(keys, func(i, j int) bool {
		if keys[i].name != keys[j].name {
			return keys[i].name < keys[j].name
		}
		return keys[i].usage < keys[j].usage
	})
	w, _ := os.Create("/tmp/gr/flags.txt")
	for _, x := range keys {
		fmt.Fprintf(w, "--%s -%s %s [%s] %q : %s\n", x.name, x.short, x.typ, x.def, x.usage, strings.Join(m[x], "; "))
	}
	for _, c := range commands(t) {
		fmt.Fprintf(w, "%v %s | %s\n", c.Hidden, c.UseLine(), c.Short)
	}
	w.Close()
}
