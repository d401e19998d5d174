package httpd

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
)

// Foreign says why a request must not be answered: it was sent to a name that is
// not this machine's, as a browser does for a page whose name was made to
// resolve to it afterwards (DNS rebinding), or on behalf of another site's page.
// Addresses and localhost are its names, and what it calls itself with any
// domain; names are further ones, and may be in the form HOST:PORT.
//
// Programs pass, except where they use a name that nobody has told.
func Foreign(r *http.Request, names ...string) error {
	if host := hostOf(r.Host); host != "" && !machine(host, names) {
		return fmt.Errorf("this machine is not called %.60q; --allow-host tells it another name of its own", host)
	}
	if foreignOrigin(r) {
		return errors.New("not on behalf of another site")
	}
	return nil
}

// foreignOrigin says whether a request is on behalf of another site's page.
// Programs name no page; those of files, of this machine and of the host that is
// asked are not foreign.
func foreignOrigin(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" || origin == "null" {
		return false
	}
	u, err := url.Parse(origin)
	return err != nil || u.Scheme != "file" && u.Host != r.Host && !loopback(hostOf(u.Host))
}

// hostOf is the name in HOST or HOST:PORT.
func hostOf(host string) string {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.Trim(host, "[]")
	}
	return strings.ToLower(strings.TrimSuffix(name, "."))
}

func loopback(name string) bool {
	ip := net.ParseIP(name)
	return name == "localhost" || strings.HasSuffix(name, ".localhost") || ip != nil && ip.IsLoopback()
}

func machine(name string, names []string) bool {
	if net.ParseIP(name) != nil || loopback(name) || slices.ContainsFunc(names, func(n string) bool { return hostOf(n) == name }) {
		return true
	}
	own, err := os.Hostname()
	first, _, _ := strings.Cut(name, ".")
	ownFirst, _, _ := strings.Cut(strings.ToLower(own), ".")
	return err == nil && first == ownFirst
}
