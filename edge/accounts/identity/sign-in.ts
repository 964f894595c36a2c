import type { SignedIn } from '#schema/contract/accounts/identity.ts'
import { AppError } from '../../http/errors.ts'
import { HOUR, toIso } from '../../platform/clock.ts'
import { batch } from '../../platform/database/batch.ts'
import { newId, randomBase62 } from '../../platform/database/ids.ts'
import type { Deps } from '../../platform/deps.ts'
import { type FirstFactor, sessionToken } from '../../platform/tokens/tokens.ts'
import { handoverStore } from './handover-store.ts'
import { rememberDevice } from './origins/devices.ts'
import type { Origin } from './origins/origin.ts'
import { hashOrigin } from './origins/origin-hashes.ts'
import { originStore } from './origins/origin-store.ts'
import { secondFactorRequiredError } from './second-factor/ticket.ts'
import { type NewSession, SESSION_IDLE_MS, sessionStore } from './session-store.ts'
import { requireSigning } from './signing.ts'
import { identityStore, type UserRow } from './store.ts'
import { toPerson, viewUser } from './view.ts'

const TOKEN_LIFE_MS = 24 * HOUR

/** How a person proved their identity. A passkey is both factors. */
type Proof = FirstFactor | 'passkey'

export const wrongCredentialsError = () =>
	new AppError('unauthorized', 'the email address or password is wrong')

const lockedAccountError = () =>
	new AppError('account_locked', 'this account is locked; ask the operators of this installation')

export const newSession = (
	now: number,
	origin: Origin,
	proof: Proof,
	secondFactorAt: number | null = null,
): NewSession => ({
	ip: origin.ip,
	country: origin.country,
	userAgent: origin.userAgent,
	byCode: proof === 'code',
	id: newId('ses', now),
	createdAt: now,
	provedAt: now,
	secondFactorAt,
	expiresAt: now + SESSION_IDLE_MS,
	renewalId: newRenewalId(),
})

export const newRenewalId = () => randomBase62(22)

type TokenSession = Pick<NewSession, 'id' | 'renewalId' | 'expiresAt'>
type TokenUser = Parameters<typeof viewUser>[0] & { tokenVersion: number }

/** Returns the response of a sign-in, with a token for an existing session. */
export async function issueToken<Org extends { id: string; slug: string } | null>(
	deps: Deps,
	user: TokenUser,
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
	const token = await requireSigning(deps).tokens.sign(sessionToken, claims, deps.now, expiresAt)
	return {
		token,
		expiresAt: toIso(expiresAt),
		user: viewUser(user),
		org: org && ({ id: org.id, slug: org.slug } as Org),
	}
}

/**
 * Opens a session for a person who has just proved their identity. Throws 401 with a ticket if the account has a second
 * factor that was not proved.
 */
export async function signIn(
	deps: Deps,
	user: UserRow,
	origin: Origin,
	proof: Proof,
	secondFactor: 'proved' | 'not proved',
): Promise<SignedIn> {
	const { db, work, now } = deps
	const store = identityStore(db)
	// The person has proved who they are, so this reveals nothing to others.
	if (user.lockedAt !== null) throw lockedAccountError()
	const isProved = secondFactor === 'proved'
	if (user.secondFactorAt !== null && !isProved && proof !== 'passkey')
		throw await secondFactorRequiredError(deps, user, proof)
	const account = proof === 'code' ? await claimForMailboxOwner(deps, user) : user
	const session = newSession(now, origin, proof, isProved ? now : null)
	const origins = originStore(db)
	const { sessionOpened, newOriginReported } = await batch(db, {
		sessionOpened: sessionStore(db).openSessionStatement(session, account),
		originsSeen: origins.rememberStatement(session, await hashOrigin(deps, origin)),
		newOriginReported: origins.recordIfNewStatement(session, account.id),
	})
	if (sessionOpened.length === 0) throw wrongCredentialsError()
	for (const { id } of newOriginReported) work.eventIds.add(id)
	await rememberDevice(deps, account, origin)
	const org = await store.findOpenOrg(account.id)
	return issueToken(deps, toPerson(account), session, org ?? null)
}

/**
 * Returns the account of a person who has just entered a code sent to its address. If the address was never verified,
 * somebody else may have created the account. The first code therefore revokes every way back in: password, sessions,
 * tokens, API keys and calendar addresses.
 */
async function claimForMailboxOwner(deps: Deps, user: UserRow): Promise<UserRow> {
	if (user.emailVerifiedAt !== null) return user
	const claimed = await handoverStore(deps.db, deps.contributions.communities).claimAccount(deps.work, user)
	const account = claimed ?? (await identityStore(deps.db).findUser(user.id))
	// If the account has changed its address since it was read, it may belong to somebody else.
	if (account?.email !== user.email) throw wrongCredentialsError()
	deps.defer(deps.contributions.communities.closeStreams(deps, user.id))
	return account
}
