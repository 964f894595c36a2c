const MAX_DEPTH = 5

/** Yields an error and its chain of causes: Drizzle and the drivers wrap database errors. */
export function* listErrorCauses(error: unknown): Generator<Error> {
	for (
		let cause = error, depth = 0;
		cause instanceof Error && depth < MAX_DEPTH;
		cause = cause.cause, depth++
	)
		yield cause
}
