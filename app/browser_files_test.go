package app_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"hearth/app"
)

// give hands files to the page as a person does: "choose", "paste" or "drop". Each
// is a JavaScript expression of a File. It returns how many are being uploaded.
func (p *tab) give(how string, files ...string) int {
	p.t.Helper()
	event := map[string]string{
		"choose": `const f = document.querySelector("#files"); f.files = t.files; f.dispatchEvent(new Event("change", { bubbles: true }));`,
		"paste": `document.querySelector("#content").dispatchEvent(new ClipboardEvent("paste",
			{ clipboardData: t, bubbles: true, cancelable: true }));`,
		"drop": `for (const kind of ["dragover", "drop"]) document.querySelector("#messages")
			.dispatchEvent(new DragEvent(kind, { dataTransfer: t, bubbles: true, cancelable: true }));`,
	}[how]
	return eval[int](p, fmt.Sprintf(`(() => { const t = new DataTransfer(); for (const f of [%s]) t.items.add(f);
		%s return document.querySelectorAll("#attached progress").length; })()`,
		strings.Join(files, ","), event))
}

// textFile and pngFile return a File of JavaScript.
func textFile(name string, size int) string {
	return fmt.Sprintf(`new File(["x".repeat(%d)], %q, { type: "text/plain" })`, size, name)
}

func pngFile(t *testing.T, name string) string {
	t.Helper()
	return fmt.Sprintf(`new File([Uint8Array.from(atob(%q), c => c.charCodeAt(0))], %q, { type: "image/png" })`,
		base64.StdEncoding.EncodeToString(testPicture(t, 64, 48, false)), name)
}

const uploaded = `!document.querySelector("#attached progress")`

// Files are chosen, pasted, dropped and recorded, and shown to the others.
func testFiles(t *testing.T, browser context.Context) {
	s := newBrowserServer(t, func(c *app.Config) { c.QuotaServer = 4 << 20 })
	conversation := s.converse("Supper", "ben")
	ada, ben := newTab(t, browser, s.base()), newTab(t, browser, s.base())
	ada.signIn(s, "ada@example.org")
	ben.signIn(s, "ben@example.org")
	ada.openConversation(conversation)
	ben.openConversation(conversation)

	if n := ada.give("choose", pngFile(t, "oven.png"), textFile("list.txt", 700_000)); n != 2 {
		t.Errorf("%d files show their progress, want 2", n)
	}
	ada.give("paste", pngFile(t, "pot.png"))
	ada.give("drop", textFile("soup.txt", 9), textFile("wrong.txt", 9))
	ada.until(uploaded + ` && document.querySelectorAll("#attached li").length === 5
		&& !document.querySelector("#attached .error") && !document.querySelector(".dropping")`)
	ada.press("Remove wrong.txt")
	ada.write("Look here")
	ben.until(bubble("Look here") + `?.querySelectorAll("a.file-picture img").length === 2`)
	got := eval[string](ben, `[...`+bubble("Look here")+`.querySelectorAll(".file-row bdi")].map(e => e.textContent).join()`)
	if got != "list.txt,soup.txt" {
		t.Errorf("the files are %s", got)
	}
	testViewer(ben)
	testRefusedFiles(ada, s, conversation)

	eval[bool](ada, `(() => {
		const devices = navigator.mediaDevices, real = devices.getUserMedia.bind(devices);
		window.asked = 0;
		devices.getUserMedia = async what => { window.asked++; await new Promise(resolve => { window.allow = resolve; }); return real(what); };
		return true;
	})()`)
	ada.press("Record a voice note")
	ada.press("Record a voice note") // nothing is seen yet
	if n := eval[int](ada, `window.asked`); n != 1 {
		t.Errorf("the microphone was asked for %d times", n)
	}
	eval[bool](ada, `(window.allow(), true)`)
	ada.until(`document.querySelector("#record").ariaPressed === "true" && document.querySelector("#record").textContent.includes("0:01")`)
	ada.press("Record a voice note")
	ada.until(uploaded + ` && document.querySelector("#attached bdi")?.textContent === "recording.webm"
		&& !document.querySelector("#attached .error")`)
	ada.press("Send")
	ben.until(`document.querySelector("audio.file-audio") !== null
		&& document.querySelector("[aria-current] .conversation-preview").textContent.endsWith("Voice note")`)
	ada.until(`document.querySelector("audio.file-audio") !== null`)
	ada.stayed()
	ben.stayed()
}

// A picture opens above the page, and closes, with the keyboard.
func testViewer(p *tab) {
	p.t.Helper()
	eval[bool](p, `(document.querySelector("a.file-picture").focus(), true)`)
	for _, closing := range []string{kb.Escape, kb.Tab + kb.Enter} {
		p.keys(kb.Enter)
		p.until(`document.querySelector("dialog.viewer[open] img")?.naturalWidth === 64`)
		p.keys(closing)
		p.until(`!document.querySelector("dialog") && document.activeElement.matches("a.file-picture")`)
	}
}

// A file that is refused says why; the text and the other files stay.
func testRefusedFiles(p *tab, s *browserServer, conversation string) {
	p.t.Helper()
	p.expect(`507|400|ERR_CONNECTION_RESET`)
	p.fill("#content", "With the recipe")
	p.give("drop", textFile("large.txt", 20<<20+1), textFile("full.txt", 6<<20), `new File(["GIF89a"], "page.gif")`, textFile("recipe.txt", 9))
	p.until(uploaded)
	for i, why := range []string{"larger than 20 MB", "no storage left", "damaged or incomplete", ""} {
		shown := eval[string](p, fmt.Sprintf(`document.querySelectorAll("#attached li")[%d]
			.querySelector(".error[role=alert]")?.textContent ?? ""`, i))
		if !strings.Contains(shown, why) || (why == "") != (shown == "") {
			p.t.Errorf("file %d: %q, want %q", i, shown, why)
		}
	}
	p.keys(kb.Enter)
	p.until(bubble("With the recipe") + `?.matches("[data-id]:not(.sending)") && document.querySelector("#attached").hidden`)
	p.until(bubble("With the recipe") + `.querySelectorAll(".file-row").length === 1`)
}

// formsOfFiles sends files and a text without scripts.
func formsOfFiles(p *tab) {
	p.t.Helper()
	dir := p.t.TempDir()
	choose := func(name, content string) {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			p.t.Fatal(err)
		}
		p.do(chromedp.SetUploadFiles("#files", []string{path}))
	}
	p.fill("#content", "With a picture")
	p.expect("422 .*/chat/")
	choose("empty.txt", "")
	p.send("Send")
	p.until(`document.querySelector("#compose-error").textContent.includes("The file is empty")
		&& document.querySelector("#content").value === "With a picture"`)
	choose("oven.png", string(testPicture(p.t, 64, 48, false)))
	p.send("Send")
	p.until(bubble("With a picture") + `?.querySelector("a.file-picture img").naturalWidth === 64`)
}

// giveAll adds files of every state to the next message, for a look at them.
func (p *tab) giveAll() {
	p.t.Helper()
	p.until(`!document.querySelector("#send-hint").hidden`)
	p.give("choose", textFile("A long name of a text that somebody wrote in the middle of the night.txt", 9), pngFile(p.t, "oven.png"),
		textFile("large.txt", 20<<20+1))
	p.until(uploaded)
}
