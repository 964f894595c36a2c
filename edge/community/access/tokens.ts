import type { KeyHolder } from '../../http/caller.ts'
import { AppError } from '../../http/errors.ts'
import { DAY, HOUR, iso } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import { base64url, sha256 } from '../../platform/digest.ts'
import { newId } from '../../platform/ids.ts'
import { memberToken } from '../../platform/tokens.ts'
import { closeStreams } from '../notifications/streams-door.ts'
import { accessStore, type NamedMember } from './store.ts'

const ACCESS_MS = HOUR
const REFRESH_MS = 30 * DAY
/** After this the organization's server has to let the member in anew, however often was refreshed. */
const GRANT_MS = 90 * DAY

type MemberName = {
	community_member_id?: number | undefined
	email?: string | undefined
	sso_user_id?: string | undefined
	community_id?: number | undefined
}

/** An organization's server lets a member in whom it has signed in by itself. */
export async function exchangeToken(deps: Deps, caller: KeyHolder, name: MemberName) {
	const store = accessStore(deps.db)
	const [member, other] = await store.findNamedMembers(
		caller.org.id,
		{ membershipId: name.community_member_id, email: name.email, ssoUserId: name.sso_user_id },
		name.community_id,
	)
	if (!member) throw new AppError('not_found', 'no such member in the communities of this organization')
	if (other) throw new AppError('validation', 'community_id: this names members of several communities')
	refuseInactive(member)
	const refresh = refreshTokenOf(randomPart())
	const grantId = newId('mgr', deps.now)
	const expiresAt = deps.now + REFRESH_MS
	const answer = await tokensOf(deps, member, { id: grantId, version: 1 }, refresh, expiresAt)
	await store.insertGrant({
		id: grantId,
		membershipId: member.membershipId,
		refreshHash: await sha256(refresh),
		familyHash: await sha256(familyOf(refresh)),
		tokenVersion: member.tokenVersion,
		createdAt: deps.now,
		expiresAt,
	})
	return answer
}

/** Every refresh token of a grant but the newest one was used before: two parties hold it, and the grant ends for both. */
export async function refreshTokens(deps: Deps, token: string) {
	const store = accessStore(deps.db)
	const hash = await sha256(token)
	const familyHash = await sha256(familyOf(token))
	const ended = () => new AppError('unauthorized', 'the refresh token is unknown, used or has ended')
	const grant = await store.findGrantByFamily(familyHash, deps.now)
	if (!grant || grant.grantTokenVersion !== grant.tokenVersion) throw ended()
	if (grant.refreshHash !== hash) {
		await endFamily(deps, familyHash)
		throw ended()
	}
	refuseInactive(grant)
	const refresh = refreshTokenOf(familyOf(token))
	const expiresAt = Math.min(deps.now + REFRESH_MS, grant.grantCreatedAt + GRANT_MS)
	const answer = await tokensOf(
		deps,
		grant,
		{ id: grant.grantId, version: grant.accessVersion },
		refresh,
		expiresAt,
	)
	if (!(await store.rotateGrant(grant.grantId, hash, await sha256(refresh), expiresAt))) {
		await endFamily(deps, familyHash)
		throw ended()
	}
	return answer
}

export async function revokeAccess(deps: Deps, token: string): Promise<void> {
	const claims = await deps.tokens?.read(memberToken, token, deps.now)
	if (!claims) return
	await accessStore(deps.db).endAccess(claims.gid, claims.gv, deps.now)
	deps.defer(closeStreams(deps, claims.cid, claims.mid, claims.gid))
}

export async function revokeRefresh(deps: Deps, token: string): Promise<void> {
	await endFamily(deps, await sha256(familyOf(token)))
}

async function endFamily(deps: Deps, familyHash: string): Promise<void> {
	const ended = await accessStore(deps.db).endGrantByFamily(familyHash)
	if (ended) deps.defer(closeStreams(deps, ended.communityId, ended.membershipId, ended.id))
}

const PART_BYTES = 16
const PART_LENGTH = 22

/** 128 random bits: 22 characters. */
const randomPart = () => base64url(crypto.getRandomValues(new Uint8Array(PART_BYTES)))

/** A refresh token is the secret of its family, which is the same for all tokens of a grant, and a secret of its own. */
const refreshTokenOf = (family: string): string => family + randomPart()
const familyOf = (token: string): string => token.slice(0, PART_LENGTH)

function refuseInactive({ status }: NamedMember): void {
	if (status !== 'active') throw new AppError('forbidden', `the membership is ${status}`)
}

async function tokensOf(
	{ tokens, now }: Deps,
	member: NamedMember,
	grant: { id: string; version: number },
	refresh: string,
	refreshExpiresAt: number,
) {
	if (!tokens) throw new AppError('not_configured', 'member tokens are not set up: AUTH_SECRET is missing')
	const claims = {
		typ: 'member',
		sub: String(member.userId),
		cid: member.communityId,
		mid: member.membershipId,
		tv: member.tokenVersion,
		gid: grant.id,
		gv: grant.version,
	}
	return {
		access_token: await tokens.sign(memberToken, claims, now, now + ACCESS_MS),
		access_token_expires_at: iso(now + ACCESS_MS),
		refresh_token: refresh,
		refresh_token_expires_at: iso(refreshExpiresAt),
		community_member_id: member.membershipId,
		community_id: member.communityId,
	}
}
