// Package server is the host API for scripts that run in a service with tenants and
// processes: the global vance.
//
//	vance.tools.call(name, params?)   calls a tool and returns its answer
//	vance.tools.list()                the sorted names of the tools that the script may call
//	vance.tools.has(name)             whether a name is among them
//	vance.files.isEnabled()           has("file_read")
//	vance.files.read(path)            the text of a file by the tool file_read, or null
//	vance.files.readRaw(path)         the whole answer of file_read
//	vance.files.write(path, text)     by the tool file_write
//	vance.files.list(path?)           by the tool file_list
//	vance.process.spawn(params?)      by the tool process_create
//	vance.context                     tenantId, projectId, sessionId (or null), processId
//	vance.log(message, fields?)       an entry of the run's log; also log.debug, info, warn, error
//	vance.params                      the run's arguments, frozen
//
// A service gives the tools as a [ToolDispatcher] and runs scripts with an
// [Executor]:
//
//	ex, err := server.New(coreExecutor, tools, nil)
//	if err != nil { ... }
//	result, err := ex.Run(ctx, server.Request{
//		Scope:  server.Scope{Tenant: "acme", Project: "site", Process: "p-17"},
//		Source: `vance.tools.call("search", {query: vance.params.topic})`,
//		Args:   map[string]any{"topic": "sandboxing"},
//	})
//
// The scope is the service's: a script can read it and can change nothing about it.
// Every way to a tool is the same one, so that files and process offer nothing that
// tools.call would refuse. Errors that a script meets there:
//
//	TypeError            an argument of a wrong type, or one that the tool's schema
//	                     refuses; unknown keys are refused by name
//	ToolException        an unknown tool, or one that the script may not call
//	ScriptHostException  vance.files where file_read may not be called
//
// and whatever error the dispatcher returned.
package server
