package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/ringfence-js/ringfence/core"
	"github.com/ringfence-js/ringfence/core/engine"
)

// maxFile is how large a file may be that is read here. A script's own limit is
// smaller, and is the executor's.
const maxFile = 64 << 20

// stdinName is the source name of a script from standard input.
const stdinName = "<stdin>"

// extensions are those of scripts, with the language of each.
var extensions = map[string]string{"": "js", ".js": "js", ".mjs": "js"}

// checkLanguage refuses a script that is not JavaScript. lang goes before the
// extension of the file.
func (path scriptPath) checkLanguage(lang string) error {
	if lang != "" {
		if lang != "js" {
			return badf("--lang %s is not supported; use js", lang)
		}
		return nil
	}
	if path == "-" {
		return nil
	}
	ext := filepath.Ext(string(path))
	if extensions[strings.ToLower(ext)] == "" {
		return badf("%s: a script with the extension %s is not supported; use .js, .mjs or none, or give --lang js for a script in JavaScript", path, ext)
	}
	return nil
}

// read returns the script and its source name. It gives up as soon as ctx ends:
// standard input may never do so.
func (path scriptPath) read(ctx context.Context, stdin io.Reader) (source, name string, err error) {
	name = string(path)
	if path == "-" {
		name = stdinName
	}
	type result struct {
		data []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		if path == "-" {
			data, err := readAll(stdin)
			done <- result{data, err}
			return
		}
		data, err := readFile(string(path))
		done <- result{data, err}
	}()
	select {
	case <-ctx.Done():
		return "", name, &core.Error{
			Class: core.ErrCancelled, Message: "cancelled while the script was read", File: name, Cause: context.Cause(ctx),
		}
	case r := <-done:
		if r.err != nil {
			return "", name, badf("%v", r.err)
		}
		return string(r.data), name, nil
	}
}

// jsonFlag reads the value of a flag that is JSON, or @ and the name of a file with
// JSON.
func jsonFlag(flag, text string) (core.Value, error) {
	data := []byte(text)
	if path, ok := strings.CutPrefix(text, "@"); ok {
		var err error
		if data, err = readFile(path); err != nil {
			return core.Value{}, badf("%s: %v", flag, err)
		}
		data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	}
	v, err := engine.ParseJSON(data)
	if err != nil {
		reason := strings.TrimPrefix(err.Error(), "JSON: ")
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			reason = "it ends too early"
		}
		return core.Value{}, badf("%s is not JSON: %s; give JSON, or @ and the name of a file", flag, reason)
	}
	return v, nil
}

func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := readAll(f)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return data, nil
}

func readAll(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("more than %d bytes", maxFile)
	}
	return data, err
}
