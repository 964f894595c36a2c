import { type SQL, sql } from 'drizzle-orm'
import type { OrgCaller } from '../../http/caller.ts'

/** Who vouches: a person or key of the organization, or a provider that it trusts. */
export type Voucher = { kind: OrgCaller['kind'] | 'identity provider'; org: { id: string } }

/** A person to vouch for. Omitted fields keep their values. `key` joins a new person with their membership. */
export type Vouched = {
	ssoUserId: string
	key: string
	name?: string | undefined
	email?: string | null | undefined
	role?: string | undefined
	avatarUrl?: string | null | undefined
	headline?: string | null | undefined
	bio?: string | null | undefined
	/** Values by profile field id. */
	profile?: Record<string, unknown> | undefined
	accessGroupIds?: number[] | undefined
}

/** Why a person is refused. */
export const refusals = {
	banned: 'this member is banned; unban them with PATCH first',
	invited: 'this member has not accepted an invitation yet',
	'no name': 'name: is required for a new member',
	name: 'name: this member has an account, which alone decides the name',
	email: 'email: this member has an account, which alone decides the address',
	role: 'role: this member has another role; change it with PATCH',
	key: 'an API key can change plain members only; sign in as a person to change others',
	group: 'accessGroupIds: the community has no such access group',
} as const
export type Refusal = keyof typeof refusals

/** Literals, because D1 allows 100 parameters in a statement. */
const pathTo = (name: string) => sql.raw(`'$.${name}'`)
const isSent = (name: string) => sql`json_type(e.value, ${pathTo(name)}) is not null`

const columns = ['key', 'ssoUserId', 'name', 'email', 'role', 'avatarUrl', 'headline', 'bio', 'profile']
const optional = ['name', 'email', 'avatarUrl', 'headline', 'bio', 'profile']

/** Stable during the batch: none of its statements changes what a refusal depends on. */
const refusal = ({ kind }: Voucher): SQL => sql`
	case
		when m.status in ('banned', 'invited') then m.status
		when ${kind === 'key' ? 1 : 0} and m.role <> 'member' then 'key'
		when m.id is null and e.value ->> 'name' is null then 'no name'
		when u.managed_key is null and m.id is not null and e.value ->> 'name' <> coalesce(m.name, u.name) then 'name'
		when u.managed_key is null and m.id is not null and ${isSent('email')} and e.value ->> 'email' is not u.email
			then 'email'
		when m.role <> e.value ->> 'role' then 'role'
		when exists (
			select 1 from json_each(e.value, '$.accessGroupIds') as wanted
			where not exists (
				select 1 from access_groups as known where known.id = wanted.value and known.community_id = c.id
			)
		) then 'group'
	end
`

/**
 * Selects the people `p` whom an organization vouches for, with the member and user that each has at this point of the
 * batch. Selects nothing unless the community belongs to the organization. The limit keeps SQLite from flattening this
 * subquery, which would then scan all members of the community.
 */
export const selectVouched = (caller: Voucher, communityId: number, people: readonly Vouched[]): SQL => sql`(
	select e.key as place,
		${sql.join(
			columns.map((name) => sql`e.value ->> ${pathTo(name)} as ${sql.identifier(name)}`),
			sql`, `,
		)},
		${sql.join(
			optional.map((name) => sql`${isSent(name)} as ${sql.identifier(`sends_${name}`)}`),
			sql`, `,
		)},
		e.value as person, c.id as community_id, m.id as member_id, m.status, m.email as stored_email,
		u.id as user_id, u.managed_key as managed_key, m.avatar_url, u.name as user_name, ${refusal(caller)} as refusal
	from json_each(${JSON.stringify(people)}) as e
	join communities as c on c.id = ${communityId} and c.org_id = ${caller.org.id}
	left join memberships as m on m.community_id = c.id and m.sso_user_id = e.value ->> 'ssoUserId'
	left join users as u on u.id = m.user_id
	limit -1
) as p`
