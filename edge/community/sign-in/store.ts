import { sql } from 'drizzle-orm'
import type { MembershipStatus } from '#schema/contract/community/fields.ts'
import type { Db } from '../../platform/database/database.ts'
import type { Selectors } from '../access/store.ts'
import type { IdentityProviderRow } from '../identity-providers/store.ts'

/** A provider with the organization of its community. */
export type SignInProvider = Pick<
	IdentityProviderRow,
	'id' | 'communityId' | 'issuer' | 'clientId' | 'clientSecret' | 'joining'
> & {
	orgId: string
	suspendedAt: number | null
	isListed: 0 | 1
	/** Whether the request was sent to a host of the community. */
	isHost: 0 | 1
}

export type KnownMember = {
	membershipId: number
	communityId: number
	userId: number
	status: MembershipStatus
	tokenVersion: number
	/** Whether the user has an account, or is about to be erased. */
	isClosed: 0 | 1
}

export const signInStore = (db: Db) => ({
	/**
	 * Finds a provider, and whether its community lists an origin and has a host. A verified custom domain counts as listed.
	 */
	async findProvider(
		id: number,
		origin: string,
		at: Pick<Selectors, 'host' | 'hostSlug'>,
	): Promise<SignInProvider | undefined> {
		const listedHost = origin.startsWith('https://') ? origin.slice('https://'.length) : null
		const [row] = await db.all<SignInProvider>(sql`
			select p.id, p.community_id as communityId, p.issuer, p.client_id as clientId,
				p.client_secret as clientSecret, p.joining, o.id as orgId, o.suspended_at as suspendedAt,
				(c.custom_domain = ${listedHost} and c.domain_verified_at is not null) is true
				or exists (
					select 1 from allowed_origins a where a.community_id = c.id and a.origin = ${origin}
				) as isListed,
				(c.custom_domain = ${at.host} and c.domain_verified_at is not null) is true
				or (c.slug = ${at.hostSlug}) is true as isHost
			from community_identity_providers p
			join communities c on c.id = p.community_id
			join orgs o on o.id = c.org_id
			where p.id = ${id}
		`)
		return row
	},

	async findMember(communityId: number, ssoUserId: string): Promise<KnownMember | undefined> {
		const [row] = await db.all<KnownMember>(sql`
			select m.id as membershipId, m.community_id as communityId, m.user_id as userId, m.status,
				u.token_version as tokenVersion,
				u.managed_key is null or u.locked_at is not null or u.erase_at is not null as isClosed
			from memberships m
			join users u on u.id = m.user_id
			where m.community_id = ${communityId} and m.sso_user_id = ${ssoUserId}
		`)
		return row
	},
})
