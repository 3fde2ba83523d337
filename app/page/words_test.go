package page_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// odd are words of pages for which there are others that people know.
var odd = regexp.MustCompile(`Light the fire|Make this server mine|Make it warm|>Come in<|Look in your mail|[Ww]arm place|mantelpiece|room warmer|Quiet in here|Start talking|Nothing said yet|` +
	`where it begins|Write something|Who takes part|Bring somebody|>Quiet<|>Always<|>Keep it<|How it is going|line about now|How others see you|as if you were not here|Who you are|>Set<|Address of a picture|` +
	`>Keys<|Ends after|wants to come in|>What\?<|>Let read<|>Let edit<|>reader<|>open<|take it off the list|Nothing burns|door stays|fire went out|hear it again|quiet now|For developers and agents`)

// The pages and their scripts use the words that people know.
func TestWordsOfPages(t *testing.T) {
	n := 0
	for _, pattern := range []string{"../../web/templates/*.html", "../../web/static/*.js", "*.go", "../account/*.go", "../mail/*.go", "../middleware/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			n++
			for _, word := range odd.FindAllString(string(text), -1) {
				t.Errorf("%s has %q", file, word)
			}
		}
	}
	if n < 80 {
		t.Errorf("%d files were read", n)
	}
}
