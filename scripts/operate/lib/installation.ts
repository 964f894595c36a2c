import { ApiError, type Client, createClient } from '#schema/contract/kit/client.ts'

export const installationHelp = `  PLAYHOUSE_URL    URL of the installation (default http://127.0.0.1:8787)
  PLAYHOUSE_TOKEN  session token of a superadmin, from POST /v1/auth/login`

/** Returns a client of the installation. Prints an error and returns null without a token. */
export function findInstallation(env: NodeJS.ProcessEnv): Client<AbortSignal> | null {
	const { PLAYHOUSE_URL: baseUrl = 'http://127.0.0.1:8787', PLAYHOUSE_TOKEN: token } = env
	if (token) return createClient({ baseUrl, fetch, token })
	console.error('PLAYHOUSE_TOKEN is not set; set it to the session token of a superadmin, or see --help.')
	process.exitCode = 2
	return null
}

/** Runs `work` and prints an error in one line. */
export async function exitOnError(work: () => Promise<void>): Promise<void> {
	try {
		await work()
	} catch (error) {
		console.error(
			error instanceof ApiError
				? `The installation rejected the request: ${error.message}${error.requestId ? ` (request ${error.requestId})` : ''}`
				: `The installation is not reachable: ${error instanceof Error ? causeOf(error) : error}`,
		)
		process.exitCode = 1
	}
}

// An error of fetch says only that it failed; its cause says why.
const causeOf = (error: Error): string =>
	error.cause instanceof Error ? error.cause.message || error.message : error.message
