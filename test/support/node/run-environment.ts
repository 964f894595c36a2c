/**
 * Returns the variable by which `npm test` finds a program that a test left running. Programs that the daemon runs have an
 * empty environment, and end with the daemon.
 */
export function runEnvironment(): Record<string, string> {
	const { TEST_RUN_DIRECTORY } = process.env
	return TEST_RUN_DIRECTORY ? { TEST_RUN_DIRECTORY } : {}
}
