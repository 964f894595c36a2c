/** Returns the result of work, or throws `lateError()` after a timeout. The work continues. */
export async function withTimeout<T>(ms: number, work: Promise<T>, lateError: () => Error): Promise<T> {
	const late = Promise.withResolvers<never>()
	const timer = setTimeout(() => late.reject(lateError()), Math.max(0, ms))
	try {
		return await Promise.race([work, late.promise])
	} finally {
		clearTimeout(timer)
	}
}
