import type { AssetStatus } from '#schema/contract/assets.ts'
import type { CommunityRole } from '#schema/contract/community/fields.ts'
import type { Auth } from '#schema/contract/operation.ts'
import type { ApiScope, OrgRole } from '#schema/contract/roles.ts'
import type { TierName } from '#schema/contract/tiers.ts'
import type { Deps } from '../platform/deps.ts'

export type OrgContext = { id: string; slug: string; tier: TierName; suspended: boolean }

export type Person = {
	kind: 'person'
	userId: number
	email: string
	name: string
	isSuperadmin: boolean
	hasPassword: boolean
	emailVerified: boolean
	createdAt: number
	sessionId: string
	sessionExpiresAt: number
	/** What this token may renew the session with. */
	renewalId: string
	/** When the person last showed their password or a code from a mail, and whether it was a code. */
	provedAt: number
	provedByCode: boolean
	/** The organization this request is about: the one in the path, else the one the token is scoped to. */
	org: OrgContext | null
	/** Role there; null for someone who is no member. */
	role: OrgRole | null
}

export type KeyHolder = {
	kind: 'key'
	keyId: string
	makerId: number
	scopes: readonly ApiScope[]
	org: OrgContext
}

/** What a member was let in by: the request of a stream ends long before the stream, and this is asked again. */
export type MemberAccess = {
	by: 'session' | 'grant'
	/** Of the session or of the grant. */
	id: string
	/** The grant's, as of the token; 0 for a session. */
	version: number
	/** users.tokenVersion, as of the token. */
	tokenVersion: number
}

/** An active member of the community that the request is about. */
export type Member = {
	kind: 'member'
	userId: number
	membershipId: number
	communityId: number
	role: CommunityRole
	access: MemberAccess
	/** When the token or what it stands on ends, whichever is first. */
	accessEndsAt: number
	/** The organization that runs the community. */
	org: OrgContext | null
}

/** `tokenVersion`: that of the token it showed, which may have been revoked since. */
export type Machine = { kind: 'machine'; machineId: string; tokenVersion: number }

/** Who holds the upload token of an asset. */
export type Uploader = {
	kind: 'upload'
	assetId: string
	orgId: string
	/** What the upload must be named after. */
	sourceKey: string
	/** As announced when the token was asked for. */
	maxBytes: number
	/** Its own time is over: it opens what was begun before, and begins nothing. */
	isExpired: boolean
	/** The asset's; null when it was deleted. */
	status: AssetStatus | null
	org: OrgContext | null
}

/** Someone who may act in an organization: what `read`, `write` and `admin` operations are handed. */
export type OrgCaller = ((Person & { role: OrgRole }) | KeyHolder) & { org: OrgContext }
export type OrgPerson = Person & { org: OrgContext; role: OrgRole }

export type CallerOf<A extends Auth> = A extends 'public' | 'registration' | 'renewal'
	? undefined
	: A extends 'viewer'
		? Person | KeyHolder | undefined
		: A extends 'machine'
			? Machine
			: A extends 'upload'
				? Uploader
				: A extends 'member'
					? Member
					: A extends 'headless-auth'
						? KeyHolder
						: A extends 'session' | 'unverified-session' | 'superadmin'
							? Person
							: A extends 'org-admin-person'
								? OrgPerson
								: OrgCaller

export type Caller = Person | KeyHolder | Machine | Member | Uploader

/** Looks credentials up. Handed in by the features that keep them, since this folder knows no feature. */
export type Doors = {
	/** One statement; null for anything but a living session. */
	person(deps: Deps, token: string, orgIdInPath: string | undefined): Promise<Person | null>
	/** One statement; null for anything but a living key. */
	key(deps: Deps, key: string): Promise<KeyHolder | null>
	machine(deps: Deps, token: string): Promise<Machine | null>
	/** One statement; null for anything but a token that was signed here. */
	upload(deps: Deps, token: string): Promise<Uploader | null>
	/** One statement. Refuses by itself, since finding the community comes before asking who calls. */
	member(deps: Deps, bearer: string | null, request: Request): Promise<Member>
}
