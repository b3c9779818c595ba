package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/ringfence-js/ringfence/header"
)

// commandLine is the whole command line, for kong.
type commandLine struct {
	Version versionFlag `help:"Print the version of the program and of its engines."`

	Run     runCommand     `cmd:"" help:"Run a script."`
	Check   checkCommand   `cmd:"" help:"Read the header, work out the limits, parse; run nothing."`
	Engines enginesCommand `cmd:"" help:"List the engines of this build."`
}

// scriptFlags are the flags that run and check share: all that say what a run
// would be like.
type scriptFlags struct {
	Engine    string `default:"${engine}" placeholder:"NAME" help:"The engine: ${engines}."`
	Isolation string `default:"none" placeholder:"LEVEL" help:"none, or process: not in this build yet."`

	Timeout        durationFlag `placeholder:"5s" group:"limits" help:"Wall clock."`
	Statements     countFlag    `placeholder:"100k" group:"limits" help:"Statements that the run may execute."`
	Memory         bytesFlag    `placeholder:"64MiB" group:"limits" help:"Bytes that the run may take."`
	MaxResultNodes countFlag    `placeholder:"N" group:"limits" help:"Array elements and object members of the value."`

	Lang  string  `placeholder:"js" help:"Language; by default that of the file's extension."`
	Input *string `placeholder:"JSON|@FILE" help:"The global input."`
	Args  *string `placeholder:"JSON|@FILE" help:"The global args, also vance.params; {} by default."`

	Surface    string     `default:"server" enum:"server,client,none" placeholder:"NAME" help:"Host object: server (vance), client, or none."`
	AllowTools *string    `placeholder:"LIST" help:"Tools that may be called, separated by commas or blanks; by default all that --mock names."`
	Mock       *string    `placeholder:"FILE" help:"Canned tools, JSON."`
	Settings   *string    `placeholder:"FILE" help:"Settings, YAML."`
	Time       *timeFlag  `placeholder:"RFC3339" help:"A fixed clock."`
	Seed       *seedFlag  `placeholder:"N" help:"A fixed seed of random numbers."`
	JSON       bool       `name:"json" help:"Print one JSON object in one line."`
	File       scriptPath `arg:"" help:"The script; - is standard input."`
}

type scriptPath string

// parse reads the command line. asked says whether JSON is asked for, which holds
// for bad command lines as well. Where there is nothing left to do, because help or
// the version was printed, the command is nil; beside an error it never is.
func parse(args []string, std streams) (cmd command, asked bool, err error) {
	var line commandLine
	exited := false
	parser, err := kong.New(&line,
		kong.Name("ringfence"),
		kong.Description("Runs JavaScript that nobody has to trust."),
		kong.Vars{"engine": backends[0].name, "engines": strings.Join(backendNames(), ", ")},
		kong.Groups{"limits": "Limits, which the script's header goes before:"},
		kong.Writers(std.out, std.err),
		kong.Exit(func(int) { exited = true }),
		kong.WithHyphenPrefixedParameters(true), // --input -5
	)
	if err != nil {
		panic(err) // the structs above are wrong
	}
	parsed, err := parser.Parse(args)
	if exited {
		return nil, false, nil
	}
	if err != nil {
		bad := badf("%v", err)
		if !strings.HasPrefix(bad.Message, "--") { // no matter of one flag's value
			bad.Hint = "ringfence --help and ringfence run --help list what there is"
		}
		return line.named(args), wantsJSON(args), bad
	}
	switch strings.Fields(parsed.Command())[0] {
	case "run":
		return &line.Run, line.Run.JSON, nil
	case "check":
		return &line.Check, line.Check.JSON, nil
	default:
		return &line.Engines, line.Engines.JSON, nil
	}
}

// named is the command that a bad command line most likely means.
func (line *commandLine) named(args []string) command {
	for _, arg := range args {
		switch arg {
		case "run":
			return &line.Run
		case "check":
			return &line.Check
		case "engines":
			return &line.Engines
		}
	}
	return &line.Run
}

// wantsJSON looks for --json in a command line that could not be parsed.
func wantsJSON(args []string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	for _, arg := range args {
		if arg == "--json" {
			return true
		}
		if text, ok := strings.CutPrefix(arg, "--json="); ok {
			on, err := strconv.ParseBool(text)
			return on || err != nil
		}
	}
	return false
}

// The limits are written as in a script's header.
type (
	durationFlag time.Duration
	countFlag    int64
	bytesFlag    int64
)

func (f *durationFlag) UnmarshalText(text []byte) (err error) {
	d, err := header.ParseDuration(string(text))
	*f = durationFlag(d)
	return err
}

func (f *countFlag) UnmarshalText(text []byte) error {
	n, err := header.ParseCount(string(text))
	*f = countFlag(n)
	return err
}

func (f *bytesFlag) UnmarshalText(text []byte) error {
	n, err := header.ParseBytes(string(text))
	*f = bytesFlag(n)
	return err
}

type timeFlag time.Time

func (f *timeFlag) UnmarshalText(text []byte) error {
	t, err := time.Parse(time.RFC3339, string(text))
	if err != nil {
		return fmt.Errorf("%q is not a time such as 2026-01-31T12:00:00Z", text)
	}
	*f = timeFlag(t)
	return nil
}

type seedFlag uint64

func (f *seedFlag) UnmarshalText(text []byte) error {
	n, err := strconv.ParseUint(string(text), 10, 64)
	if err != nil {
		return fmt.Errorf("%q is not a whole number from 0 to 18446744073709551615", text)
	}
	*f = seedFlag(n)
	return nil
}
