const MAX_DEPTH = 5

/** Returns an error, its cause, the cause of that, and so on: Drizzle and the drivers wrap the errors of a database. */
export function* listErrorCauses(error: unknown): Generator<Error> {
	for (
		let cause = error, depth = 0;
		cause instanceof Error && depth < MAX_DEPTH;
		cause = cause.cause, depth++
	)
		yield cause
}
