/** Returns the result of some work, or throws `lateError()` if it takes longer. The work itself goes on. */
export async function withTimeout<T>(ms: number, work: Promise<T>, lateError: () => Error): Promise<T> {
	const late = Promise.withResolvers<never>()
	const timer = setTimeout(() => late.reject(lateError()), Math.max(0, ms))
	try {
		return await Promise.race([work, late.promise])
	} finally {
		clearTimeout(timer)
	}
}
