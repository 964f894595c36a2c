import { ApiError, type Client, createClient } from '#schema/contract/client.ts'

export const installationHelp = `  PLAYHOUSE_URL    where the installation is reached; http://localhost:8787 unless told
  PLAYHOUSE_TOKEN  the session token of a superadmin, as POST /v1/auth/login gives it`

/** The installation that the variables name; null, with a word about it, where they do not. */
export function findInstallation(env: NodeJS.ProcessEnv): Client<AbortSignal> | null {
	const { PLAYHOUSE_URL: baseUrl = 'http://localhost:8787', PLAYHOUSE_TOKEN: token } = env
	if (token) return createClient({ baseUrl, fetch, token })
	console.error('Set PLAYHOUSE_TOKEN to the session token of a superadmin; --help says more.')
	process.exitCode = 2
	return null
}

/** Does one thing, and says in a line why it could not be done. */
export async function attempt(work: () => Promise<void>): Promise<void> {
	try {
		await work()
	} catch (error) {
		console.error(
			error instanceof ApiError
				? `Refused. ${error.message}${error.requestId ? ` (request ${error.requestId})` : ''}`
				: `The installation could not be reached: ${error instanceof Error ? causeOf(error) : error}`,
		)
		process.exitCode = 1
	}
}

// What fetch throws says only that it failed; why is in its cause.
const causeOf = (error: Error): string =>
	error.cause instanceof Error ? error.cause.message || error.message : error.message
