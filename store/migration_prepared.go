package store

// migrationTo15 keeps what the comparison of an intent with others needs. It is
// computed at the start, when the keys are.
const migrationTo15 = `
ALTER TABLE intent ADD COLUMN prepared BLOB;
`
