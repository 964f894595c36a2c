import type { ApiScope, OrgRole } from '#schema/contract/accounts/roles.ts'
import type { TierName } from '#schema/contract/accounts/tiers.ts'
import type { CommunityRole } from '#schema/contract/community/fields.ts'
import type { Auth } from '#schema/contract/kit/operation.ts'
import type { AssetStatus } from '#schema/contract/video/assets.ts'
import type { Deps } from '../platform/deps.ts'
import type { Suspension } from '../platform/suspension.ts'

export type OrgContext = { id: string; slug: string; tier: TierName; suspension: Suspension }

/** Set while a superadmin acts as the person, with fewer rights (edge/http/guards/impersonation.ts). */
export type ImpersonationContext = {
	id: string
	by: { userId: number; email: string }
	mayWrite: boolean
	reason: string
	expiresAt: number
}

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
	/** The id with which this token can be renewed. */
	renewalId: string
	/** When the person last entered their password or an emailed code. */
	provedAt: number
	/** Whether that was a code. */
	provedByCode: boolean
	/** Whether the account has an authenticator app or a passkey. */
	hasSecondFactor: boolean
	/** Whether the latest proof was a code. */
	secondFactorAt: number | null
	/** Whether the organization requires a second factor. False without an organization. */
	orgNeedsSecondFactor: boolean
	keysNeedProof: boolean
	/** The organization in the path, or else the one that the token is scoped to. */
	org: OrgContext | null
	/** The role in that organization; null for a non-member. */
	role: OrgRole | null
	/** Null unless a superadmin acts as the person. */
	impersonation: ImpersonationContext | null
}

export type KeyHolder = {
	kind: 'key'
	keyId: string
	makerId: number
	scopes: readonly ApiScope[]
	org: OrgContext
}

/** The credential of a member. Streams check it repeatedly, since they outlive their request. */
export type MemberAccess = {
	by: 'session' | 'grant'
	/** The id of the session or grant. */
	id: string
	/** The grant's version in the token; 0 for a session. */
	version: number
	/** The value of users.tokenVersion in the token. */
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
	/** When the token or its session or grant expires, whichever is first. */
	accessEndsAt: number
	/** The organization that runs the community. */
	org: OrgContext | null
}

/** `tokenVersion` is the one in the token, which may have been revoked since. */
export type Machine = { kind: 'machine'; machineId: string; tokenVersion: number }

/** The holder of an asset's upload token. */
export type Uploader = {
	kind: 'upload'
	assetId: string
	orgId: string
	/** The id that the upload's name must contain. */
	sourceKey: string
	/** The size announced when the token was requested. */
	maxBytes: number
	/** An expired token can continue an upload but can't start one. */
	isExpired: boolean
	/** The status of the asset; null if it was deleted. */
	status: AssetStatus | null
	/** The organization of the asset; null if the asset was deleted. */
	org: OrgContext | null
}

/** A caller who may act in an organization: the caller of `read`, `write` and `admin` operations. */
export type OrgCaller = ((Person & { role: OrgRole }) | KeyHolder) & { org: OrgContext }
export type OrgPerson = Person & { org: OrgContext; role: OrgRole }

export type CallerFor<A extends Auth> = A extends 'public' | 'registration' | 'renewal' | 'metrics'
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

/** Finds callers by their credentials. Injected by features, since `http/` depends on none. */
export type Authenticators = {
	/** Runs one statement; returns null unless the session is active. */
	person(deps: Deps, token: string, orgIdInPath: string | undefined): Promise<Person | null>
	/** Returns a new token if this one, from a cookie, has expired or soon will, and its session lasts; else null. */
	renew(deps: Deps, token: string): Promise<string | null>
	/** Runs one statement; returns null unless the key is active. */
	key(deps: Deps, key: string): Promise<KeyHolder | null>
	machine(deps: Deps, token: string): Promise<Machine | null>
	/** Runs one statement; returns null unless this installation signed the token. */
	upload(deps: Deps, token: string): Promise<Uploader | null>
	/** Runs one statement. Throws on its own, since a missing community takes precedence over the caller. */
	member(deps: Deps, bearer: string | null, request: Request): Promise<Member>
}
