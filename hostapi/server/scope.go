package server

import (
	"net/url"

	"github.com/ringfence-js/ringfence/core"
)

// A Scope says on whose behalf a script runs. It comes from the service, never from
// the script.
type Scope struct {
	// Tenant, Project and Process are required.
	Tenant  string
	Project string
	Process string
	// Session may be empty; the script sees null then.
	Session string
	// QuotaBucket is for the dispatcher; the script does not see it.
	QuotaBucket string
}

func (s Scope) check() error {
	for _, part := range []struct{ field, value string }{
		{"Scope.Tenant", s.Tenant},
		{"Scope.Project", s.Project},
		{"Scope.Process", s.Process},
	} {
		if part.value == "" {
			return &core.RequestError{Field: part.field, Reason: "is missing"}
		}
	}
	return nil
}

// key is the caller key of a scope. The parts are escaped, so that no two scopes
// have the same.
func (s Scope) key() string {
	return url.PathEscape(s.Tenant) + "/" + url.PathEscape(s.Project) + "/" + url.PathEscape(s.Process)
}
