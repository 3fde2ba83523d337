package web

import (
	"io/fs"
	"os"
	"strings"
	"testing"
)

// unclear are phrases in which people did not recognise what was meant.
var unclear = []string{
	"Light the fire", "Make this server mine", "Make it warm", "Come in", "Look in your mail", "A warm place", "mantelpiece", "makes the room warmer",
	"Quiet in here", "Start talking", "Nothing said yet", "This is where it begins", "Write something", "Who takes part", "Bring somebody in",
	">Keep it<", "How it is going", "A line about now", "How others see you", "as if you were not here", "Who you are", "Address of a picture",
	"Ends after", "wants to come in", "Let read", "Let edit", "take it off the list", "Nothing burns here", "door stays closed", "The fire went out",
	"You hear it again", "It is quiet now", "For developers and agents",
}

// Pages call things what people know them as.
func TestWordsOfPages(t *testing.T) {
	files := 0
	err := fs.WalkDir(os.DirFS("."), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, ".go") {
			return err
		}
		text, err := os.ReadFile(path)
		files++
		for _, phrase := range unclear {
			if strings.Contains(string(text), phrase) {
				t.Errorf("%s has %q", path, phrase)
			}
		}
		return err
	})
	if err != nil || files < 50 {
		t.Fatalf("%d files were read: %v", files, err)
	}
}
