package store

// migrations lead from each schema version to the next, the first from 1 to 2.
// A migration is never changed once it is on the main branch. The newest version
// is also what schema.sql makes.
func migrations() []string {
	return []string{migrationTo2, migrationTo3, migrationTo4, migrationTo5, migrationTo6, migrationTo7, migrationTo8, migrationTo9, migrationTo10, migrationTo11, migrationTo12, migrationTo13, migrationTo14, migrationTo15, migrationTo16, migrationTo17, migrationTo18, migrationTo19, migrationTo20, migrationTo21, migrationTo22, migrationTo23, migrationTo24, migrationTo25}
}
