import type { SignedIn } from '#schema/contract/identity.ts'
import { AppError } from '../http/errors.ts'
import { HOUR, iso } from '../platform/clock.ts'
import type { Deps } from '../platform/deps.ts'
import { newId, randomBase62 } from '../platform/ids.ts'
import type { Secrets } from '../platform/secrets.ts'
import { sessionToken, type Tokens } from '../platform/tokens.ts'
import { identityStore, type NewSession, SESSION_IDLE_MS, type UserRow } from './store.ts'
import { viewUser } from './view.ts'

const TOKEN_LIFE_MS = 24 * HOUR
const USER_AGENT_LENGTH = 256

/** How someone showed who they are. */
export type Proof = 'password' | 'code'

/** Where a request came from, as people see it in the list of their sessions. */
export type Origin = { ip: string; userAgent: string }
export const originOf = (input: { ip: string; request: Request }): Origin => ({
	ip: input.ip,
	userAgent: (input.request.headers.get('user-agent') ?? '').slice(0, USER_AGENT_LENGTH),
})

export const wrongCredentials = () =>
	new AppError('unauthorized', 'the e-mail address or the password is wrong')

/** Everything that signs needs AUTH_SECRET; without it these doors are not configured. */
export function signingOf(deps: Deps): { secrets: Secrets; tokens: Tokens } {
	const { secrets, tokens } = deps
	if (!secrets || !tokens)
		throw new AppError('not_configured', 'signing in is not set up: AUTH_SECRET is missing')
	return { secrets, tokens }
}

export const newSession = (now: number, origin: Origin, proof: Proof): NewSession => ({
	...origin,
	byCode: proof === 'code',
	id: newId('ses', now),
	createdAt: now,
	provedAt: now,
	expiresAt: now + SESSION_IDLE_MS,
	renewalId: newRenewalId(),
})

export const newRenewalId = () => randomBase62(22)

type TokenSession = Pick<NewSession, 'id' | 'renewalId' | 'expiresAt'>
type Who = Parameters<typeof viewUser>[0] & { tokenVersion: number }

/** The answer that says who someone is from now on: a token for a session that exists. */
export async function issueToken<Org extends { id: string; slug: string } | null>(
	deps: Deps,
	user: Who,
	session: TokenSession,
	org: Org,
): Promise<SignedIn & { org: Org }> {
	const expiresAt = Math.min(deps.now + TOKEN_LIFE_MS, session.expiresAt)
	const claims = {
		typ: 'session',
		sub: String(user.id),
		sid: session.id,
		org: org?.id ?? null,
		tv: user.tokenVersion,
		rid: session.renewalId,
	}
	const token = await signingOf(deps).tokens.sign(sessionToken, claims, deps.now, expiresAt)
	return {
		token,
		expiresAt: iso(expiresAt),
		user: viewUser(user),
		org: org && ({ id: org.id, slug: org.slug } as Org),
	}
}

/** Opens a session for someone who has just proved who they are. */
export async function signIn(deps: Deps, user: UserRow, origin: Origin, proof: Proof): Promise<SignedIn> {
	const store = identityStore(deps.db)
	const session = newSession(deps.now, origin, proof)
	if (!(await store.openSession(session, user))) throw wrongCredentials()
	const org = await store.findOpenOrg(user.id)
	return issueToken(deps, { ...user, hasPassword: user.passwordHash !== null }, session, org ?? null)
}
