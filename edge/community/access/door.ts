import type { Doors, MemberAccess } from '../../http/caller.ts'
import { AppError } from '../../http/errors.ts'
import { mustVerifyAddress, unverifiedAddressError } from '../../http/verified-address.ts'
import { SECOND } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import type { Env } from '../../platform/env.ts'
import { memberToken, sessionToken } from '../../platform/tokens.ts'
import { accessStore, type Selectors, type Situation } from './store.ts'

type Claims = {
	userId: number
	tokenVersion: number
	endsAt: number
	session: string | null
	grant: { id: string; version: number; membershipId: number; communityId: number } | null
}

/** The three checks in their order: a community, a person (401), an active membership of theirs in it (403). */
export const memberDoor: Doors['member'] = async (deps, bearer, request) => {
	const claims = bearer === null ? null : await readClaims(deps, bearer)
	const named = selectorsOf(request, deps.env, claims?.grant?.communityId ?? null)
	const found = await accessStore(deps.db).findSituation(
		named,
		claims && { userId: claims.userId, sessionId: claims.session, grantId: claims.grant?.id ?? null },
	)
	// A credential that cannot be read may have been the one to name the community.
	if (resolveCommunity(named, found) === null)
		throw bearer !== null && !claims
			? new AppError('unauthorized', 'the token is not valid any more')
			: new AppError('validation', 'name the community: X-Community-Id, X-Community-Slug or its host')
	if (!claims || !isAlive(claims, found, deps.now))
		throw new AppError('unauthorized', 'sign in, or get a new member token')
	// A member token is vouched for by the organization that asked for it.
	if (!claims.grant && mustVerifyAddress(deps.env, { emailVerified: found.emailVerifiedAt !== null }))
		throw unverifiedAddressError()
	const { communityId, userId, membershipId, role, status } = found
	if (
		communityId === null ||
		userId === null ||
		membershipId === null ||
		role === null ||
		status !== 'active'
	)
		throw new AppError('forbidden', 'this takes an active membership of the community')
	if (found.suspendedAt !== null)
		throw new AppError('org_suspended', 'the organization of this community is suspended')
	const org =
		found.orgId === null || found.orgSlug === null || found.tier === null
			? null
			: { id: found.orgId, slug: found.orgSlug, tier: found.tier, suspended: false }
	const access = accessOf(claims)
	const accessEndsAt = Math.min(claims.endsAt, found.sessionExpiresAt ?? found.grantExpiresAt ?? 0)
	return { kind: 'member', userId, membershipId, communityId, role, access, accessEndsAt, org }
}

async function readClaims({ tokens, now }: Deps, bearer: string): Promise<Claims | null> {
	const member = await tokens?.read(memberToken, bearer, now)
	if (member) {
		const grant = { id: member.gid, version: member.gv, membershipId: member.mid, communityId: member.cid }
		return {
			userId: member.sub,
			tokenVersion: member.tv,
			endsAt: member.exp * SECOND,
			session: null,
			grant,
		}
	}
	const session = await tokens?.read(sessionToken, bearer, now)
	return session
		? {
				userId: session.sub,
				tokenVersion: session.tv,
				endsAt: session.exp * SECOND,
				session: session.sid,
				grant: null,
			}
		: null
}

const accessOf = ({ grant, session, tokenVersion }: Claims): MemberAccess =>
	grant
		? { by: 'grant', id: grant.id, version: grant.version, tokenVersion }
		: { by: 'session', id: session ?? '', version: 0, tokenVersion }

/** A text that is no id names no community; ids begin with 1. */
const NO_SUCH_ID = 0

function selectorsOf(request: Request, env: Env, claim: number | null): Selectors {
	const { COMMUNITY_BASE_DOMAIN: base, DEFAULT_COMMUNITY } = env.vars
	const named = new URL(request.url).hostname.replace(/\.$/, '')
	const host = env.ownHosts.has(named) ? null : named
	const id = request.headers.get('x-community-id')
	return {
		claim,
		headerId: id === null ? null : /^[1-9]\d{0,14}$/.test(id) ? Number(id) : NO_SUCH_ID,
		headerSlug: request.headers.get('x-community-slug'),
		hostSlug: base && host?.endsWith(`.${base}`) ? host.slice(0, -base.length - 1) : null,
		host,
		fallbackSlug: DEFAULT_COMMUNITY ?? null,
	}
}

/** All that name a community must name the same one: passing over the one that does not fit is how tenants leak. */
function resolveCommunity(named: Selectors, found: Situation): number | null {
	const told = [
		...(named.claim === null ? [] : [named.claim]),
		...(named.headerId === null ? [] : [named.headerId]),
		...(named.headerSlug === null ? [] : [found.headerSlugId]),
		...(named.hostSlug === null ? [] : [found.hostSlugId]),
		...(found.hostDomainId === null ? [] : [found.hostDomainId]),
	]
	if (told.some((id) => id !== told[0]))
		throw new AppError('forbidden', 'token, host and headers name different communities')
	const [first] = told
	if (first === null || (first !== undefined && first !== found.communityId))
		throw new AppError('not_found', 'no such community')
	return found.communityId
}

function isAlive(claims: Claims, found: Situation, now: number): boolean {
	if (found.userId === null || found.tokenVersion !== claims.tokenVersion) return false
	if (!claims.grant) return (found.sessionExpiresAt ?? 0) > now
	return (
		found.membershipId === claims.grant.membershipId &&
		found.grantVersion === claims.grant.version &&
		(found.grantExpiresAt ?? 0) > now
	)
}
