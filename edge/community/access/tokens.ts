import type { KeyHolder } from '../../http/caller.ts'
import { AppError } from '../../http/errors.ts'
import { requireNotFullySuspended } from '../../http/guards/suspension.ts'
import { requireTokens } from '../../http/require-secrets.ts'
import { DAY, HOUR, toIso } from '../../platform/clock.ts'
import { newId } from '../../platform/database/ids.ts'
import type { Deps } from '../../platform/deps.ts'
import { randomBase64url, sha256 } from '../../platform/tokens/digest.ts'
import { memberToken } from '../../platform/tokens/tokens.ts'
import { closeStreams } from '../notifications/notification-streams.ts'
import { accessStore, type GrantMember } from './store.ts'

const ACCESS_MS = HOUR
const REFRESH_MS = 30 * DAY
/** The longest life of a grant, however often it is refreshed. Afterwards the organization's server requests a new one. */
const GRANT_MS = 90 * DAY

type MemberIdentifier = {
	community_member_id?: number | undefined
	email?: string | undefined
	sso_user_id?: string | undefined
	community_id?: number | undefined
}

const memberNotFoundError = () =>
	new AppError('not_found', 'no community of this organization has this member')

/** Whether somebody in the communities of the organization has this identifier, in whatever state. */
export async function isKnownMember({ db }: Deps, caller: KeyHolder, identifier: MemberIdentifier) {
	const { community_member_id: membershipId, email, sso_user_id: ssoUserId, community_id } = identifier
	const ids = { membershipId, email, ssoUserId }
	return (await accessStore(db).findMembersByIdentifier(caller.org.id, ids, community_id)).length > 0
}

/** Issues tokens to an organization's server, for a member whom it has authenticated itself. */
export async function exchangeToken(deps: Deps, caller: KeyHolder, identifier: MemberIdentifier) {
	const store = accessStore(deps.db)
	const [member, other] = await store.findMembersByIdentifier(
		caller.org.id,
		{
			membershipId: identifier.community_member_id,
			email: identifier.email,
			ssoUserId: identifier.sso_user_id,
		},
		identifier.community_id,
	)
	if (!member) throw memberNotFoundError()
	if (other)
		throw new AppError('validation', 'community_id: several communities have this member; send the id of one')
	requireActive(member)
	const refresh = generateRefreshToken()
	const grantId = newId('mgr', deps.now)
	const expiresAt = deps.now + REFRESH_MS
	const response = await tokensOf(deps, member, { id: grantId, version: 1 }, refresh, expiresAt)
	const isInserted = await store.insertGrant({
		id: grantId,
		membershipId: member.membershipId,
		refreshHash: await sha256(refresh),
		familyHash: await sha256(readFamily(refresh)),
		tokenVersion: member.tokenVersion,
		createdAt: deps.now,
		expiresAt,
	})
	if (!isInserted) throw memberNotFoundError()
	return response
}

export const refreshTokens = async (deps: Deps, token: string) =>
	rotateTokens(deps, token, await sha256(token))

/**
 * Replaces the refresh token with this hash by one of `newFamily`. If an older one is used again, two parties hold it: the
 * grant is revoked for both.
 */
export async function rotateTokens(
	deps: Deps,
	token: string,
	hash: string,
	newFamily: string = readFamily(token),
) {
	const store = accessStore(deps.db)
	const familyHash = await sha256(readFamily(token))
	const invalidTokenError = () =>
		new AppError('unauthorized', 'the token or code is unknown, used or expired; get new tokens')
	const grant = await store.findGrantByFamily(familyHash, deps.now)
	if (!grant || grant.grantTokenVersion !== grant.tokenVersion) throw invalidTokenError()
	if (grant.refreshHash !== hash) {
		await endFamily(deps, familyHash)
		throw invalidTokenError()
	}
	requireActive(grant)
	// The token is not used up, so it works after the suspension.
	requireNotFullySuspended(grant)
	const refresh = refreshTokenOf(newFamily)
	const newFamilyHash = await sha256(newFamily)
	const expiresAt = Math.min(deps.now + REFRESH_MS, grant.grantCreatedAt + GRANT_MS)
	const response = await tokensOf(
		deps,
		grant,
		{ id: grant.grantId, version: grant.accessVersion },
		refresh,
		expiresAt,
	)
	const to = { refreshHash: await sha256(refresh), familyHash: newFamilyHash, expiresAt }
	if (!(await store.rotateGrant(grant.grantId, hash, to))) {
		// A concurrent request has rotated the token.
		await endFamily(deps, newFamilyHash)
		throw invalidTokenError()
	}
	return response
}

export async function revokeAccess(deps: Deps, token: string): Promise<void> {
	const claims = await deps.tokens?.read(memberToken, token, deps.now)
	if (!claims) return
	await accessStore(deps.db).endAccess(claims.gid, claims.gv, deps.now)
	deps.defer(closeStreams(deps, claims.cid, claims.mid, claims.gid))
}

export async function revokeRefresh(deps: Deps, token: string): Promise<void> {
	await endFamily(deps, await sha256(readFamily(token)))
}

/** Revokes the grant of a family, unless it was created before the given time. */
export async function endFamily(deps: Deps, familyHash: string, createdSince = 0): Promise<void> {
	const ended = await accessStore(deps.db).endGrantByFamily(familyHash, createdSince)
	if (ended) deps.defer(closeStreams(deps, ended.communityId, ended.membershipId, ended.id))
}

const PART_BYTES = 16
export const PART_LENGTH = 22

/** 128 random bits: 22 characters. */
const randomPart = () => randomBase64url(PART_BYTES)

/** Returns a refresh token: the secret of its family, which all refresh tokens of a grant share, and its own secret. */
const refreshTokenOf = (family: string): string => family + randomPart()
export const readFamily = (token: string): string => token.slice(0, PART_LENGTH)
export const generateRefreshToken = (): string => refreshTokenOf(randomPart())

function requireActive({ status }: GrantMember): void {
	if (status !== 'active') throw new AppError('forbidden', `the membership is ${status}`)
}

async function tokensOf(
	deps: Deps,
	member: GrantMember,
	grant: { id: string; version: number },
	refresh: string,
	refreshExpiresAt: number,
) {
	const { now } = deps
	const tokens = requireTokens(deps, 'member tokens')
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
		access_token_expires_at: toIso(now + ACCESS_MS),
		refresh_token: refresh,
		refresh_token_expires_at: toIso(refreshExpiresAt),
		community_member_id: member.membershipId,
		community_id: member.communityId,
	}
}
