/**
 * Whether a statement was refused because a row with that key is there already. D1, embedded libSQL and libSQL
 * over HTTP each have their own class, code and prefix; SQLite's words in the message are what they share:
 *
 *   D1_ERROR: UNIQUE constraint failed: users.email: SQLITE_CONSTRAINT
 *   SQLITE_CONSTRAINT_UNIQUE: UNIQUE constraint failed: users.email
 *   SQLITE_CONSTRAINT: SQLite error: UNIQUE constraint failed: users.email
 */
export function isUniqueViolation(error: unknown): boolean {
	for (let one = error, depth = 0; one instanceof Error && depth < 5; one = one.cause, depth++) {
		// Drizzle's own error quotes the parameters, and those are whatever a caller sent.
		if (!isDrizzleWrapper(one) && /(^|: )UNIQUE constraint failed: /.test(one.message)) return true
	}
	return false
}

const isDrizzleWrapper = (error: Error) => error.message.startsWith('Failed query: ')
