import { createApiKey } from '#schema/contract/accounts/api-keys.ts'
import type { ApiScope } from '#schema/contract/accounts/roles.ts'
import { acceptCommunityInvitation } from '#schema/contract/community/manage/invitations.ts'
import { addCommunityMember } from '#schema/contract/community/manage/memberships.ts'
import { createSpace } from '#schema/contract/community/manage/spaces.ts'
import { createMemberToken } from '#schema/contract/community/member/tokens.ts'
import { invitationTokenIn } from '../../support/edge/mailbox.ts'
import { openWorld, type Person, type World } from '../../support/edge/world.ts'

type Value = string | number | null

/** Inserts a row directly into a table, as input for a test of the API. */
export async function insert(world: World, table: string, row: Record<string, Value>): Promise<number> {
	const columns = Object.keys(row)
	const literals = Object.values(row).map((value) =>
		typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value),
	)
	const [inserted] = await world.deps(({ db }) =>
		db.all<{ id: number }>(
			`insert into ${table} (${columns.join(', ')}) values (${literals.join(', ')}) returning rowid as id`,
		),
	)
	return inserted?.id ?? 0
}

export async function select<Row>(world: World, sql: string): Promise<Row[]> {
	return world.deps(({ db }) => db.all<Row>(sql))
}

/** Invites a person to a community, and accepts as that person. Returns the member id. */
export async function inviteAndAccept(
	world: World,
	community: { id: string; owner: Person },
	who: Person,
	more: object = {},
): Promise<number> {
	const input = { params: { communityId: community.id }, body: { email: who.email, ...more } as never }
	await world.ask(addCommunityMember, input, community.owner)
	const body = { token: await invitationTokenIn(world) }
	return (await world.ask(acceptCommunityInvitation, { body }, who)).ok.data.memberId
}

/** Creates a space as the owner of a community does. */
export const createSpaceIn = async (
	world: World,
	{ id, owner }: { id: string; owner: Person },
	body: object,
) => (await world.ask(createSpace, { params: { communityId: id }, body: body as never }, owner)).ok.data

export type Joined = Person & { memberId: number }

/** Creates a community with an owner and an organization. Returns functions that fill it. */
export async function openCommunity(world: World, slug = 'club') {
	const owner = await world.person()
	const now = world.now
	const id = await insert(world, 'communities', {
		org_id: owner.orgId,
		slug,
		name: `The ${slug}`,
		created_at: now,
		updated_at: now,
	})
	const headers = { 'x-community-id': String(id) }

	const join = async (
		person: Person,
		more: {
			role?: string
			status?: string
			sso_user_id?: string
			name?: string
			avatar_url?: string
			profile?: string
		} = {},
	): Promise<Joined & { headers: Record<string, string> }> => {
		const memberId = await insert(world, 'memberships', {
			community_id: id,
			user_id: person.userId,
			role: 'member',
			status: 'active',
			created_at: now,
			updated_at: now,
			...more,
		})
		return { ...person, memberId, headers }
	}

	return {
		id,
		orgId: owner.orgId,
		headers,
		owner: await join(owner, { role: 'owner' }),
		join,
		member: async (more: Parameters<typeof join>[1] = {}) => join(await world.person(), more),
		space: (more: Record<string, Value> = {}) =>
			insert(world, 'spaces', {
				community_id: id,
				name: 'Space',
				slug: crypto.randomUUID(),
				space_type: 'basic',
				visibility: 'public',
				position: 0,
				created_at: now,
				updated_at: now,
				...more,
			}),
		post: (spaceId: number, more: Record<string, Value> = {}) =>
			insert(world, 'posts', {
				community_id: id,
				space_id: spaceId,
				author_id: owner.userId,
				body: 'Hello',
				created_at: now,
				updated_at: now,
				...more,
			}),
		event: (spaceId: number | null, more: Record<string, Value> = {}) =>
			insert(world, 'events', {
				community_id: id,
				space_id: spaceId,
				host_id: owner.userId,
				title: 'Meeting',
				description: 'We meet',
				starts_at: now + 1_000,
				ends_at: now + 2_000,
				created_at: now,
				updated_at: now,
				...more,
			}),
		/** Moves an event into the past. */
		endEvent: (id: number) =>
			select(world, `update events set starts_at = 1, ends_at = 2 where id = ${id} returning 1`),
		/** Opens spaces to members through a new access group. */
		grant: async (
			memberIds: number[],
			spaceIds: number[],
			more: { status?: string; expiresAt?: number } = {},
		) => {
			const group = await insert(world, 'access_groups', {
				community_id: id,
				name: 'Group',
				status: more.status ?? 'active',
				created_at: now,
			})
			for (const membershipId of memberIds)
				await insert(world, 'access_group_members', {
					access_group_id: group,
					membership_id: membershipId,
					expires_at: more.expiresAt ?? null,
					created_at: now,
				})
			for (const spaceId of spaceIds)
				await insert(world, 'access_group_spaces', {
					access_group_id: group,
					space_id: spaceId,
					created_at: now,
				})
			return group
		},
		key: async (scopes: ApiScope[] = ['headless:auth']) => {
			const created = await world.ask(
				createApiKey,
				{ params: { orgId: owner.orgId }, body: { name: 'k', scopes } },
				owner,
			)
			return created.ok.data.key
		},
	}
}

export type Community = Awaited<ReturnType<typeof openCommunity>>

export async function memberTokens(world: World, key: string, memberId: number) {
	return (await world.ask(createMemberToken, { body: { community_member_id: memberId } }, { key })).ok
}

/** Creates the common fixture of the headless API tests. */
export async function openHeadless() {
	const world = await openWorld()
	const community = await openCommunity(world)
	const ada = await community.member({ avatar_url: 'https://example.org/ada.png' })
	const spaceId = await community.space({ name: 'General', slug: 'general' })
	return { world, community, ada, spaceId }
}

/** Returns the envelope of a list that fits on one page. */
export const envelope = (records: unknown[]) => ({
	page: 1,
	per_page: 20,
	has_next_page: false,
	count: records.length,
	page_count: 1,
	records,
})
