import type { SignedIn } from '#schema/contract/accounts/identity.ts'
import type { Authenticators } from '../../http/caller.ts'
import { readCredential } from '../../http/credential.ts'
import { HOUR, SECOND } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import { sessionToken } from '../../platform/tokens/tokens.ts'
import { sessionEndedError } from './identity.ts'
import { sessionStore } from './session-store.ts'
import { issueToken, newRenewalId } from './sign-in.ts'
import { requireSigning } from './signing.ts'
import { identityStore } from './store.ts'

/** When the token of a cookie is renewed, of the 24 hours that it lasts. */
const RENEW_WITHIN_MS = 12 * HOUR

type Claims = { sid: string; sub: number; org: string | null; tv: number; rid: string }

/**
 * Renews a token, even an expired one, while its session lasts. A token can be renewed once; a second renewal ends
 * the session, because the token may be stolen. Within RENEWAL_RETRY_MS, the latest one may be renewed again, since
 * the client probably lost the response.
 */
export async function refreshToken(deps: Deps, request: Request): Promise<SignedIn> {
	const { tokens } = requireSigning(deps)
	const credential = readCredential(request.headers)
	const token = credential?.kind === 'bearer' ? credential.value : deps.cookie?.token
	const claims = token ? await tokens.readExpired(sessionToken, token, deps.now) : null
	const person = claims && (await findPerson(deps, claims))
	if (!person) throw sessionEndedError()
	const session = await renewSession(deps, claims)
	if (session) return issueRenewed(deps, person, session)
	await sessionStore(deps.db).endReusedSession(claims.sid, claims.rid, deps.now)
	deps.defer(deps.contributions.communities.closeStreams(deps, claims.sub, claims.sid))
	throw sessionEndedError()
}

/**
 * Renews the token of a cookie in its last hours, or an expired one while the session lasts. Never ends the session: requests
 * of a page run side by side, and a slow one may show an old cookie.
 */
export const renewCookieToken: Authenticators['renew'] = async (deps, token) => {
	const claims = await deps.tokens?.readExpired(sessionToken, token, deps.now)
	if (!claims || claims.exp * SECOND - deps.now > RENEW_WITHIN_MS) return null
	const person = await findPerson(deps, claims)
	// Before the last end of a session, a new token would last no longer, and every request would change the row.
	if (!person || claims.exp >= Math.floor(person.sessionExpiresAt / SECOND)) return null
	const session = await renewSession(deps, claims)
	return session ? (await issueRenewed(deps, person, session)).token : null
}

type PersonRow = NonNullable<Awaited<ReturnType<typeof findPerson>>>

async function findPerson({ db, now }: Deps, { sid, sub, org, tv }: Claims) {
	const row = await identityStore(db).findPerson(sid, sub, org, now)
	return row?.tokenVersion === tv ? row : undefined
}

async function renewSession({ db, now }: Deps, { sid: id, rid: shown }: Claims) {
	const store = sessionStore(db)
	const renewalId = newRenewalId()
	const expiresAt = await store.renewSession(id, shown, renewalId, now)
	if (expiresAt !== undefined) return { id, renewalId, expiresAt }
	const retried = await store.findRenewalAfter(id, shown, now)
	return retried && { id, ...retried }
}

/** Keeps the organization of the token while the person belongs to it. */
async function issueRenewed(
	deps: Deps,
	person: PersonRow,
	session: { id: string; renewalId: string; expiresAt: number },
): Promise<SignedIn> {
	const isOpenMember =
		person.role !== null && person.suspendedAt === null && person.orgId !== null && person.slug !== null
	const org = isOpenMember
		? { id: person.orgId as string, slug: person.slug as string }
		: await identityStore(deps.db).findOpenOrg(person.userId)
	return issueToken(deps, { ...person, id: person.userId }, session, org ?? null)
}
