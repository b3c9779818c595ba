// Package client is the host API for scripts that run on a user's machine, asked
// for by a service from afar: the global client.
//
//	client.tools.call(name, params?)   calls a tool of this machine and returns its answer
//	client.context                     footId, requestId, sessionId (or null)
//	client.log(message, fields?)       an entry of the run's log; also log.debug, info, warn, error
//
// A program gives its tools as a [ToolDispatcher] and runs scripts with an
// [Executor]:
//
//	ex, err := client.New(coreExecutor, tools, nil)
//	if err != nil { ... }
//	result, err := ex.Run(ctx, client.Request{
//		Scope:  client.Scope{FootID: "foot-3", RequestID: "r-17"},
//		Source: `client.tools.call("client_file_read", {path: "notes.txt"})`,
//	})
//
// The tools of this machine are all that there is: a client knows no tools of the
// service, no processes, no tenants, and loads no scripts from files. The scope is
// the program's: a script can read it and can change nothing about it. Errors that a
// script meets:
//
//	TypeError      an argument of a wrong type
//	ToolException  an unknown tool, or one that the script may not call
//
// and whatever error the dispatcher returned.
package client
