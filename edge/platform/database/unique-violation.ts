import { listErrorCauses } from './causes.ts'

/**
 * Returns true if a statement failed because a row with the same unique key exists. D1, embedded libSQL and libSQL over
 * HTTP have different classes, codes and prefixes; they share only SQLite's wording in the message:
 *
 *   D1_ERROR: UNIQUE constraint failed: users.email: SQLITE_CONSTRAINT
 *   SQLITE_CONSTRAINT_UNIQUE: UNIQUE constraint failed: users.email
 *   SQLITE_CONSTRAINT: SQLite error: UNIQUE constraint failed: users.email
 */
export function isUniqueViolation(error: unknown): boolean {
	for (const cause of listErrorCauses(error)) {
		// Drizzle's own error quotes the parameters, which callers control.
		if (!isDrizzleWrapper(cause) && /(^|: )UNIQUE constraint failed: /.test(cause.message)) return true
	}
	return false
}

const isDrizzleWrapper = (error: Error) => error.message.startsWith('Failed query: ')
