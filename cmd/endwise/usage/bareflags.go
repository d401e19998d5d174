package usage

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// bareValue is the annotation of a flag that may stand without its number.
const bareValue = "endwise_bare"

// BareValue says what a flag of numbers means where no number follows it.
// pflag's NoOptDefVal would no longer take one from the next word.
func BareValue(f *pflag.FlagSet, name, value string) error {
	return f.SetAnnotation(name, bareValue, []string{value})
}

// FillBareFlags puts the values of flags that stand bare into a command line.
func FillBareFlags(root *cobra.Command, args []string) []string {
	c, _, err := root.Find(args)
	if err != nil {
		return args // cobra will say what is wrong
	}
	var out []string
	for i, word := range args {
		if word == "--" {
			return append(out, args[i:]...)
		}
		var f *pflag.Flag
		if name, long := strings.CutPrefix(word, "--"); long {
			f = c.Flags().Lookup(name)
		} else if len(word) == 2 && word[0] == '-' {
			f = c.Flags().ShorthandLookup(word[1:])
		}
		if f != nil && f.Annotations[bareValue] != nil && (i+1 == len(args) || !isNumber(args[i+1])) {
			word = "--" + f.Name + "=" + f.Annotations[bareValue][0]
		}
		out = append(out, word)
	}
	return out
}

func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}
