package client

import (
	"net/url"

	"github.com/ringfence-js/ringfence/core"
)

// A Scope says which client runs a script, and for which request. It comes from the
// program, never from the script.
type Scope struct {
	// FootID is the client's own name. It is required.
	FootID string
	// RequestID is that of the remote call that the run answers. It is required.
	RequestID string
	// Session is a hint of the service; it may be empty, and the script sees null
	// then.
	Session string
}

func (s Scope) check() error {
	switch "" {
	case s.FootID:
		return &core.RequestError{Field: "Scope.FootID", Reason: "is missing"}
	case s.RequestID:
		return &core.RequestError{Field: "Scope.RequestID", Reason: "is missing"}
	}
	return nil
}

// key is the caller key of a scope: runs of one client and session may share what
// is compiled. The parts are escaped, so that no two scopes have the same.
func (s Scope) key() string {
	return url.PathEscape(s.FootID) + "/" + url.PathEscape(s.Session)
}
