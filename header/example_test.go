package header_test

import (
	"encoding/json"
	"fmt"

	"github.com/ringfence-js/ringfence/header"
)

func ExampleParse() {
	h, warnings, err := header.Parse(`/**
 * @description  Chapter summary
 * @timeout      90s
 * @statements   500k
 * @allowTools   doc_read, doc_list
 * @author       Ada
 */
vance.tools.call("doc_list", {})`, "summary.js")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, w := range warnings {
		fmt.Printf("%d: %s: %s\n", w.Line, w.Code, w.Message)
	}
	text, _ := json.Marshal(h)
	fmt.Println(string(text))
	// Output:
	// 6: unknown-tag: unknown tag "@author" with value "Ada" in script "summary.js" is ignored
	// {"timeout":"90s","statements":500000,"allowTools":["doc_read","doc_list"],"description":"Chapter summary"}
}

func ExampleParse_malformed() {
	_, _, err := header.Parse("/** @timeout soon */", "summary.js")
	fmt.Println(err)
	// Output:
	// line 1: tag=@timeout value="soon" reason=it does not start with a digit; allowed: a whole number of seconds, or one with the suffix s, m or h, such as 300, 30s, 10m or 1h
}

func ExampleParseBytes() {
	decimal, _ := header.ParseBytes("64M")
	binary, _ := header.ParseBytes("64MiB")
	_, err := header.ParseBytes("64MB")
	fmt.Println(decimal, binary)
	fmt.Println(err)
	// Output:
	// 64000000 67108864
	// "64MB" is not a valid number of bytes: the suffix "MB" is not allowed; allowed: a whole number, or one with the suffix k, M or G (powers of 1000) or KiB, MiB or GiB (powers of 1024), such as 67108864, 64M or 64MiB
}
