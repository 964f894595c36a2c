import { beforeAll, describe, expect, test } from 'vitest'
import { allOperations } from '#schema/contract/index.ts'
import { listAuditActions, type Operation } from '#schema/contract/kit/operation.ts'
import { openWorld, type World } from '../../support/edge/world.ts'
import { wholePng } from '../../support/shared/whole-pictures.ts'
import { type Community, insert, memberTokens, openCommunity } from './community.ts'

let world: World
let community: Community
let moderator: Awaited<ReturnType<Community['member']>>
let memberToken: string
let ids: Record<string, number | string>

beforeAll(async () => {
	world = await openWorld({}, { fetch: async () => Response.json({ Status: 3 }) })
	community = await openCommunity(world)
	await world.deps(({ db }) =>
		db.all(
			`update communities set custom_domain = 'club.example.org', domain_proof = 'p', domain_claimed_at = 1 where id = ${community.id} returning 1`,
		),
	)
	const ada = await community.member()
	moderator = await community.member({ role: 'moderator' })
	const key = await community.key()
	memberToken = (await memberTokens(world, key, ada.memberId)).access_token
	const spaceId = await community.space()
	const postId = await community.post(spaceId)
	const eventId = await community.event(spaceId, { capacity: 2, waitlist_enabled: 1 })
	const accessGroupId = await community.grant([ada.memberId], [spaceId])
	ids = { communityId: community.id, spaceId, postId, eventId, accessGroupId, memberId: ada.memberId }
	ids.spaceGroupId = 1
	ids.fieldId = 1
	const notification = {
		membership_id: ada.memberId,
		kind: 'post_reaction',
		subject_id: postId,
		created_at: 1,
	}
	const flag = { community_id: community.id, membership_id: 1, post_id: postId, reason: 'r', created_at: 1 }
	ids.flagId = await insert(world, 'flags', flag)
	const invitation = { community_id: community.id, email: 'i@x.test', role: 'member', nonce: 'n' }
	const times = { created_at: 1, expires_at: world.now * 2 }
	ids.invitationId = await insert(world, 'community_invitations', {
		...invitation,
		token_hash: 'h',
		...times,
	})
	for (const name of ['gone', 'a', 'b'])
		ids.tagId = await insert(world, 'tags', { community_id: community.id, name, slug: name, created_at: 1 })
	ids.notificationId = await insert(world, 'notifications', notification)
})

let unique = 0
/** Returns a body for every operation; each operation reads the fields it defines. */
const body = () => {
	unique++
	return {
		bookmarkable_type: 'Post',
		bookmarkable_id: ids.postId,
		reactable_type: 'Post',
		reactable_id: ids.postId,
		name: `Name ${unique}`,
		slug: `slug-${unique}`,
		key: `key_${unique}`,
		label: 'Label',
		email: `new${unique}@example.org`,
		title: 'Title',
		headline: 'Headline',
		starts_at: '2038-01-01T00:00:00Z',
		ends_at: '2038-01-01T01:00:00Z',
		capacity: 5,
		post_comment: false,
		content_type: 'Post',
		content_id: ids.postId,
		reason: 'Spam',
		body: 'Body',
		topics: [Number(ids.tagId) - (unique % 2)],
		memberId: ids.memberId,
		points: 3,
		profile_fields: {},
	}
}

async function call(op: Operation, who: { token: string; headers?: Record<string, string> }) {
	const raw = {
		params: Object.fromEntries(
			[...op.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, String(ids[name] ?? 1)]),
		),
		...(op.query && 'search_text' in op.query.shape && { query: { search_text: 'name body' } }),
		...(op.body && { body: body() }),
	}
	return world.ask(op, raw as never, { ...who, ...(op.takesBytes && { bytes: wholePng }) })
}

/** Limit for successful requests. A rejected request may run another statement to find the reason. */
const MAX_STATEMENTS = 4
/** An entry in the audit log is one statement. */
const entriesOf = (operationId: string) =>
	allOperations.some((op) => op.id === operationId && listAuditActions(op).length > 0) ? 1 : 0

/**
 * Operations with more statements: invitations check rate limits and reports first, name changes check a rate limit.
 * An avatar upload also announces its object, replaces the old one and returns the profile.
 * Deleting an event also keeps its title and notifies attendees.
 */
const maxStatementsOf = (operationId: string) => {
	if (/^(invite|addCommunityMember)/.test(operationId)) return MAX_STATEMENTS + 3
	if (operationId.startsWith('updateProfile')) return MAX_STATEMENTS + 1
	// A public event costs a statement that records it, and after the response one that looks up the endpoints for it.
	if (operationId.startsWith('deleteEvent')) return MAX_STATEMENTS + 3
	if (operationId.startsWith('attendEvent ')) return MAX_STATEMENTS + 1
	if (operationId.startsWith('leaveEvent ')) return MAX_STATEMENTS + 2
	// The authors are notified in the same batch.
	if (/^(hide|restore)Comment /.test(operationId)) return MAX_STATEMENTS + 1
	// The same batch updates the number of posts of the space.
	if (/^(hide|restore)Post /.test(operationId)) return MAX_STATEMENTS + 2
	if (operationId.startsWith('deletePost ')) return MAX_STATEMENTS + 2
	if (/^(createEvent|unbanMember) /.test(operationId)) return MAX_STATEMENTS + 1
	if (operationId.startsWith('createCommunity ')) return MAX_STATEMENTS + 2
	return operationId.startsWith('setAvatar') ? MAX_STATEMENTS + 4 : MAX_STATEMENTS
}
// Leaving or a ban would block the later requests of this member.
const memberOperations = allOperations.filter(
	(op) => op.auth === 'member' && !['deactivateMember', 'banMember'].includes(op.id),
)
const managerOperations = allOperations.filter(
	(op) =>
		op.path.startsWith('/v1/communities') &&
		!['deleteCommunity', 'removeCommunityMember', 'revokeMemberTokens'].includes(op.id),
)

const fill = (count: number) =>
	world.deps(async ({ db }) => {
		const many = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})`
		const now = world.now
		for (const sql of [
			`insert into users (email, name, token_version, is_superadmin, created_at, updated_at) ${many} select 'm' || i || '@many.test', 'U', 1, 0, i, i from n returning 1`,
			`insert into memberships (community_id, user_id, role, status, created_at, updated_at) ${many} select ${community.id}, 1000 + i, 'member', 'active', i, i from n returning 1`,
			`insert into posts (community_id, space_id, author_id, body, created_at, updated_at) ${many} select ${community.id}, ${ids.spaceId}, 1000 + i, 'b', i, i from n returning 1`,
			`insert into bookmarks (user_id, community_id, post_id, created_at) ${many} select 1000 + i, ${community.id}, ${ids.postId}, ${now} from n returning 1`,
			`insert into post_reactions (membership_id, post_id, emoji, created_at) ${many} select 1000 + i, 1 + i, 'like', ${now} from n returning 1`,
			`insert into notifications (membership_id, kind, subject_id, created_at) ${many} select m.id, 'post_reaction', 1 + i, i from n cross join (select min(id) as id from memberships where role = 'member') m returning 1`,
			`insert into flags (community_id, membership_id, post_id, reason, created_at) ${many} select ${community.id}, 1000 + i, ${ids.postId}, 'r', i from n returning 1`,
			`insert into events (community_id, space_id, title, description, starts_at, ends_at, created_at, updated_at) ${many} select ${community.id}, ${ids.spaceId}, 't', 'd', i, i, i, i from n returning 1`,
			`insert into point_transactions (community_id, user_id, points, reason, created_at) ${many} select ${community.id}, 1000 + i, 1, 'r', i from n returning 1`,
			`insert into community_invitations (community_id, email, role, nonce, token_hash, created_at, expires_at) ${many} select ${community.id}, 'm' || i || '@inv.test', 'member', 'n', 'h' || i, i, i from n returning 1`,
			`insert into communities (slug, name, created_at, updated_at) ${many} select 'many-' || i, 'c', i, i from n returning 1`,
		])
			await db.all(sql)
	})

async function expectNoScan(sql: string): Promise<void> {
	const plan = await world.plan(sql)
	const scans = plan.filter(
		(line) =>
			/^SCAN (?!CONSTANT ROW|\d|found|feed|nobody|candidates|words|otherwise|n\b|w\b|\(subquery)/.test(
				line,
			) && !/(USING (COVERING )?|VIRTUAL TABLE )INDEX/.test(line),
	)
	expect(scans, `${sql}\n${plan.join('\n')}`).toEqual([])
}

describe('SQL statements of the community', () => {
	test('a community request runs at most four SQL statements for any data size, without table scans', async () => {
		const seen = new Set<string>()
		const measure = async () => {
			const counts: Record<string, number> = {}
			for (const [operations, who] of [
				[memberOperations, { token: memberToken }],
				[memberOperations, moderator],
				[managerOperations, community.owner],
			] as const)
				for (const op of operations) {
					const answer = await call(op, who)
					for (const sql of answer.statements) seen.add(sql)
					// The first request has deleted the object.
					if (answer.status < 400) counts[`${op.id} ${who.token.length}`] = answer.statements.length
				}
			return counts
		}
		const small = await measure()
		expect(
			Object.entries(small).filter(
				([id, count]) => count > maxStatementsOf(id) + entriesOf(id.split(' ')[0] ?? ''),
			),
		).toEqual([])
		expect(Object.keys(small).length).toBeGreaterThan(40)
		await fill(2_000)
		const large = await measure()
		for (const [id, count] of Object.entries(large)) expect([id, count]).toEqual([id, small[id] ?? count])
		expect(seen.size).toBeGreaterThan(50)
		for (const sql of seen) await expectNoScan(sql)
	})

	test('ending access and freeing event places takes few statements', async () => {
		const other = await openCommunity(world, 'other')
		const toCommunity = { communityId: String(other.id) }
		const statementsOf = async (id: string, who: { token: string }, input: object = {}) => {
			const op = allOperations.find((one) => one.id === id) as Operation
			const answer = await world.ask(op, input as never, who)
			// The domain event is relayed, and its deliveries are planned, after the response.
			const statements = answer.statements.filter((sql) => !/^update "outbox"|"webhook_endpoints"/.test(sql))
			for (const sql of statements) await expectNoScan(sql)
			// One statement authenticates. Seven form the batch: domain event, status, tokens, calendar feed, and three for places.
			// A ban is a second domain event.
			const limit = /^(deactivateMember|banMember|updateCommunityMember)$/.test(id) ? 9 : MAX_STATEMENTS + 1
			return [id, answer.status, statements.length <= limit + entriesOf(id) || statements]
		}
		const newcomer = async () => ({ memberId: String((await other.member()).memberId) })
		expect(await statementsOf('deactivateMember', await other.member())).toEqual([
			'deactivateMember',
			200,
			true,
		])
		for (const [id, more] of [
			['banMember', {}],
			['revokeMemberTokens', {}],
			['updateCommunityMember', { body: { status: 'inactive' } }],
			['updateCommunityMember', { body: { status: 'banned' } }],
		] as const) {
			const params = { ...toCommunity, ...(await newcomer()) }
			expect(await statementsOf(id, other.owner, { params, ...more })).toEqual([id, 200, true])
		}
		// Removal changes places, reactions, follows and ownership immediately, because other members see them.
		const removed = { params: { ...toCommunity, ...(await newcomer()) } }
		const removeMember = allOperations.find((one) => one.id === 'removeCommunityMember') as Operation
		const answer = await world.ask(removeMember, removed as never, other.owner)
		// Three of them subtract the member's reactions from posts, comments and images.
		expect([answer.status, answer.statements.length]).toEqual([200, 21])
		for (const sql of answer.statements) await expectNoScan(sql)
		const deleted = await statementsOf('deleteCommunity', other.owner, { params: toCommunity })
		expect(deleted).toEqual(['deleteCommunity', 200, true])
	})

	test('reads every list along its index without sorting all rows', async () => {
		for (const id of ['listBookmarks', 'listCommunityEvents']) {
			const op = allOperations.find((one) => one.id === id) as Operation
			const { statements } = await call(op, { token: memberToken })
			const sorted = statements.filter((sql) => sql.includes('order by'))
			expect(sorted).toHaveLength(1)
			const plan = await world.plan(String(sorted[0]))
			expect(plan.filter((line) => line.includes('TEMP B-TREE'))).toEqual([])
		}
	})

	test('authenticates a member by member token or session in one statement', async () => {
		const op = allOperations.find((one) => one.id === 'listCommunityLinks') as Operation
		for (const who of [{ token: memberToken }, moderator]) {
			const answer = await world.ask(op, {}, who)
			expect([answer.status, answer.statements.length]).toEqual([200, 1])
		}
	})
})
