import type { Authenticators, MemberAccess, OrgContext } from '../../http/caller.ts'
import { AppError } from '../../http/errors.ts'
import { unauthorizedError } from '../../http/guards/unauthorized.ts'
import { mustVerifyAddress, unverifiedAddressError } from '../../http/verified-address.ts'
import { SECOND } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import type { Env } from '../../platform/env.ts'
import { deriveSuspension } from '../../platform/suspension.ts'
import { memberToken, sessionToken } from '../../platform/tokens/tokens.ts'
import { communityNotFoundError } from '../not-found.ts'
import { type AccessContext, accessStore, type Selectors } from './store.ts'

type Claims = {
	userId: number
	tokenVersion: number
	endsAt: number
	session: string | null
	grant: { id: string; version: number; membershipId: number; communityId: number } | null
}

/** Checks, in this order: the community (400, 403 or 404), the person (401), their active membership (403). */
export const authenticateMember: Authenticators['member'] = async (deps, bearer, request) => {
	const claims = bearer === null ? null : await readClaims(deps, bearer)
	const selectors = readSelectors(request, deps.env, claims?.grant?.communityId ?? null)
	const context = await accessStore(deps.db).loadAccessContext(
		selectors,
		claims && { userId: claims.userId, sessionId: claims.session, grantId: claims.grant?.id ?? null },
		deps.now,
	)
	// An unreadable token may have contained the community id.
	if (resolveCommunity(selectors, context) === null)
		throw bearer !== null && !claims
			? unauthorizedError('member', 'token')
			: new AppError(
					'validation',
					'the request names no community; send X-Community-Id or X-Community-Slug, or use its host',
				)
	if (!claims || !areClaimsValid(claims, context, deps.now))
		throw unauthorizedError('member', bearer === null ? 'missing' : 'token')
	// The organization that requested a member token vouches for the address.
	if (!claims.grant && mustVerifyAddress(deps.env, { emailVerified: context.emailVerifiedAt !== null }))
		throw unverifiedAddressError()
	const { communityId, userId, membershipId, role, status } = context
	if (
		communityId === null ||
		userId === null ||
		membershipId === null ||
		role === null ||
		status !== 'active'
	)
		throw new AppError('forbidden', 'you are not an active member of this community')
	const org = orgOf(context)
	const access = accessOf(claims)
	const accessEndsAt = Math.min(claims.endsAt, context.sessionExpiresAt ?? context.grantExpiresAt ?? 0)
	return { kind: 'member', userId, membershipId, communityId, role, access, accessEndsAt, org }
}

function orgOf(context: AccessContext): OrgContext | null {
	const { orgId: id, orgSlug: slug, tier, suspendedAt, suspensionReasons } = context
	if (id === null || slug === null || tier === null) return null
	const reasons = JSON.parse(suspensionReasons ?? '[]')
	return { id, slug, tier, suspension: deriveSuspension({ suspendedAt, suspensionReasons: reasons }) }
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

/** Replaces a header value that is not an id. Ids start at 1, so no community matches. */
const NO_SUCH_ID = 0

export function readSelectors(request: Request, env: Env, claim: number | null): Selectors {
	const { COMMUNITY_BASE_DOMAIN: base, DEFAULT_COMMUNITY } = env.vars
	const hostname = new URL(request.url).hostname.replace(/\.$/, '')
	const host = env.ownHosts.has(hostname) ? null : hostname
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

/** Requires every selector to name the same community. Ignoring one that differs could leak data between tenants. */
export function resolveCommunity(selectors: Selectors, context: AccessContext): number | null {
	const ids = [
		...(selectors.claim === null ? [] : [selectors.claim]),
		...(selectors.headerId === null ? [] : [selectors.headerId]),
		...(selectors.headerSlug === null ? [] : [context.headerSlugId]),
		...(selectors.hostSlug === null ? [] : [context.hostSlugId]),
		...(context.hostDomainId === null ? [] : [context.hostDomainId]),
	]
	if (ids.some((id) => id !== ids[0]))
		throw new AppError('forbidden', 'token, host and headers name different communities; name only one')
	const [first] = ids
	if (first === null || (first !== undefined && first !== context.communityId)) throw communityNotFoundError()
	return context.communityId
}

function areClaimsValid(claims: Claims, context: AccessContext, now: number): boolean {
	if (context.userId === null || context.tokenVersion !== claims.tokenVersion) return false
	if (!claims.grant) return (context.sessionExpiresAt ?? 0) > now
	return (
		context.membershipId === claims.grant.membershipId &&
		context.grantVersion === claims.grant.version &&
		(context.grantExpiresAt ?? 0) > now
	)
}
