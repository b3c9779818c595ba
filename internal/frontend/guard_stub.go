package frontend

const maxNesting = 200

func checkNesting(src string) ([]token, int, bool) { return lex(src, guess{}), 0, true }
func checkTokens(string, []token) (int, bool)      { return 0, true }

type guess struct{}

func (guess) token([]token) bool       { return true }
func (guess) regexp([]token, int) bool { return false }
