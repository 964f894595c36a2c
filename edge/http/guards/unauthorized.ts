import type { Auth } from '#schema/contract/kit/operation.ts'
import { AppError } from '../errors.ts'

/** A kind of `auth` that refuses callers with 401. */
export type CheckedAuth = Exclude<Auth, 'public' | 'viewer' | 'renewal'>

const session = 'sign in'
const sessionOrKey = 'sign in, or send an API key'

/** The advice after a 401 for each kind of `auth`. Names only accepted credentials. */
const advice: Record<CheckedAuth, string> = {
	session,
	'unverified-session': session,
	superadmin: session,
	'org-admin-person': session,
	read: sessionOrKey,
	write: sessionOrKey,
	admin: sessionOrKey,
	member: 'sign in, or send a member token',
	'headless-auth': 'send an API key with the scope headless:auth',
	upload: 'send the token of upload-token as a bearer credential',
	registration: 'send the FLEET_TOKEN of the installation as a bearer credential',
	machine: 'the machine token is invalid; register this machine again',
	metrics: 'send METRICS_TOKEN as a bearer credential',
}

const problems = {
	missing: 'no credential was sent',
	token: 'the token is no longer valid, or of a kind that is not accepted here',
	key: 'the API key is unknown, revoked or expired',
	'refused key': 'API keys are not accepted here',
	'refused token': 'only API keys are accepted here',
} as const

/** Returns a 401 that explains the problem and names the accepted credential. */
export const unauthorizedError = (
	auth: CheckedAuth,
	problem: keyof typeof problems,
	headers: Record<string, string> = {},
) => new AppError('unauthorized', `${problems[problem]}; ${advice[auth]}`, { headers })
