package store

// migrationTo25 has no write merge parts of the index of lists, except where there are very
// many: KeepWords does.
const migrationTo25 = `
INSERT INTO list_word (list_word, rank) VALUES ('automerge', 0);
INSERT INTO list_word (list_word, rank) VALUES ('crisismerge', 256);
`
