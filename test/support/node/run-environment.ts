/** What a program gets beside an environment of its own, so that `npm test` finds it if a test leaves it running. */
export function runEnvironment(): Record<string, string> {
	const { TEST_RUN_DIRECTORY } = process.env
	return TEST_RUN_DIRECTORY ? { TEST_RUN_DIRECTORY } : {}
}
