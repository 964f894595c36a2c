import { env } from 'cloudflare:workers'
import { beforeEach, expect, test } from 'vitest'
import { listMembers } from '#schema/contract/accounts/org-members.ts'
import { createOrg } from '#schema/contract/accounts/orgs.ts'
import { createPostComment, listPostComments } from '#schema/contract/community/member/post-comments.ts'
import { listHomePosts } from '#schema/contract/community/member/posts.ts'
import { createComment, listComments } from '#schema/contract/watch/comments.ts'
import { executeAccountDeletion } from '../../../../../edge/operations/account-deletion/execute/execution.ts'
import type { Person } from '../../../../support/edge/world.ts'
import { openCommunity } from '../../../community/community.ts'
import { openStudio } from '../../../video/transcoding/transcoding-fixture.ts'
import { type DeletionWorld, openDeletionWorld } from '../deletion-world.ts'

let world: DeletionWorld
let root: Person
let ada: Person
beforeEach(async () => {
	world = await openDeletionWorld()
	root = await world.person({ email: 'root@example.org' })
	ada = await world.person({ email: 'ada@example.org', name: 'Ada Lovelace' })
})

const many = (count: number) =>
	`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})`
const left = async (where: string) =>
	(await world.rows<{ n: number }>(`select count(*) as n from ${where}`))[0]?.n

/** Creates 20,000 posts, 50,000 comments, 200 memberships, 10 own organizations and their dependent rows. */
async function fill() {
	const id = ada.userId
	const fixture = await openCommunity(world)
	const member = await fixture.join(ada)
	const space = await fixture.space()
	const topic = `(select id from tags where slug = 'topic')`
	const own: string[] = []
	for (let i = 0; i < 10; i++)
		own.push((await world.ask(createOrg, { body: { name: `Own ${i}` } }, ada)).ok.data.id)
	for (let i = 0; i < 100; i++) await world.ask(createOrg, { body: { name: `Shared ${i}` } }, root)
	for (const sql of [
		`insert into communities (slug, name, created_at, updated_at) ${many(199)} select 'many-' || i, 'C', i, i from n`,
		`insert into memberships (community_id, user_id, role, status, created_at, updated_at) select id, ${id}, case id % 4 when 0 then 'owner' else 'member' end, 'active', 1, 1 from communities where slug like 'many-%'`,
		`insert into memberships (community_id, user_id, role, status, created_at, updated_at) select id, ${root.userId}, 'member', 'active', 2, 2 from communities where slug like 'many-%' and id % 3 > 0`,
		`insert into posts (community_id, space_id, author_id, body, comments_count, created_at, updated_at) ${many(20_000)} select ${fixture.id}, ${space}, ${id}, 'post ' || i, 3, i, i from n`,
		`insert into posts (community_id, space_id, author_id, body, comments_count, created_at, updated_at) ${many(20)} select ${fixture.id}, ${space}, ${fixture.owner.userId}, 'of the owner ' || i, 1, i, i from n`,
		`insert into post_terms select community_id, 'post', id from posts`,
		`insert into post_texts select id, community_id, body from posts`,
		`insert into tags (community_id, name, slug, created_at) values (${fixture.id}, 'Topic', 'topic', 1)`,
		`update posts set topics = json_array(${topic})`,
		`insert into space_topics select ${space}, ${topic}, count(*) from posts`,
		`insert into post_comments (community_id, post_id, author_id, body, created_at, updated_at) select ${fixture.id}, id, ${id}, 'comment', 1, 1 from posts where author_id = ${id}`,
		`insert into post_comments (community_id, post_id, parent_id, author_id, body, created_at, updated_at) select ${fixture.id}, post_id, id, ${id}, 'reply', 1, 1 from post_comments`,
		`insert into post_comments (community_id, post_id, author_id, body, created_at, updated_at) select ${fixture.id}, id, ${fixture.owner.userId}, 'by the owner', 1, 1 from posts where author_id <> ${id} limit 10`,
		`insert into post_comments (community_id, post_id, parent_id, author_id, body, created_at, updated_at) select ${fixture.id}, post_id, id, ${id}, 'reply', 1, 1 from post_comments where author_id <> ${id}`,
		`insert into post_comments (community_id, post_id, author_id, body, created_at, updated_at) select ${fixture.id}, id, ${id}, 'comment', 1, 1 from posts order by id desc limit 9990`,
		`update posts set comments_count = (select count(*) from post_comments c where c.post_id = posts.id)`,
		`update post_comments set replies_count = 1 where id in (select parent_id from post_comments where parent_id is not null)`,
		`insert into bookmarks (user_id, community_id, post_id, created_at) select ${id}, ${fixture.id}, id, 1 from posts limit 5000`,
		`insert into post_followers (user_id, post_id, created_at) select ${id}, id, 1 from posts limit 5000`,
		`insert into post_reactions (membership_id, post_id, emoji, created_at) select ${member.memberId}, id, 'like', 1 from posts limit 5000`,
		`insert into notifications (membership_id, kind, subject_id, created_at) select ${member.memberId}, 'post_comment', id, 1 from posts limit 5000`,
		`insert into notifications (membership_id, kind, subject_id, actor_id, created_at) select ${fixture.owner.memberId}, 'post_comment', id, ${id}, 1 from posts limit 5000`,
		`insert into flags (community_id, membership_id, post_id, reason, created_at) select ${fixture.id}, ${member.memberId}, id, 'Spam', 1 from posts limit 3000`,
		`insert into point_transactions (community_id, user_id, points, reason, awarded_by_user_id, created_at) ${many(3_000)} select ${fixture.id}, ${id}, 1, 'Post', ${fixture.owner.userId}, i from n`,
		`insert into point_transactions (community_id, user_id, points, reason, awarded_by_user_id, created_at) ${many(3_000)} select ${fixture.id}, ${fixture.owner.userId}, 1, 'Post', ${id}, i from n`,
		`insert into events (community_id, space_id, host_id, title, description, starts_at, ends_at, capacity, waitlist_enabled, going_count, created_at, updated_at) ${many(3_000)} select ${fixture.id}, ${space}, ${id}, 't', 'd', i, 4102444800000, 1, 1, 1, i, i from n`,
		`insert into event_rsvps (event_id, membership_id, status, created_at, updated_at) select id, ${member.memberId}, 'going', 1, 1 from events`,
		`insert into event_rsvps (event_id, membership_id, status, created_at, updated_at) select id, ${fixture.owner.memberId}, 'waitlisted', 1, 1 from events where id % 2 = 0`,
		`insert into sessions (id, user_id, user_agent, ip, by_code, created_at, last_seen_at, expires_at, proved_at, renewal_id, former_renewal_id, renewed_at, country, second_factor_at) ${many(30_000)} select 'ses_x' || i, ${id}, '', '', 0, i, i, 9e15, i, '', null, null, null, null from n`,
		`insert into org_members select id, ${id}, 'member', created_at from orgs where name like 'Shared %'`,
		`insert into assets (id, org_id, title, status, playback_id, metadata, public_settings, created_at, updated_at) ${many(3_000)} select 'ast_' || i, '${own[0]}', 'Film ' || i, 'ready', 'play' || i, '{}', '{}', i, i from n`,
		`insert into comments (id, asset_id, author_name, body, created_at) ${many(6_000)} select 'cmt_' || i, 'ast_' || (1 + i % 3000), 'Viewer', 'Nice', i from n`,
		`insert into reactions ${many(3_000)} select 'ast_' || i, 'viewer', '🔥' from n`,
		`insert into reaction_counts select asset_id, emoji, 1 from reactions`,
		`insert into asset_terms (org_id, term, asset_id, field) select org_id, 'film', id, 'title' from assets`,
		`insert into asset_search (asset_id, org_id, title, description) select id, org_id, title, '' from assets`,
		`insert into renditions (asset_id, rung_id, job_id, position, quality, width, height, bitrate_kbps, codec) select id, 'v1', 'job', 1, '720p', 1280, 720, 3000, 'avc1' from assets`,
		`insert into jobs (id, asset_id, org_id, playback_id, status, playback, ai_options, requested_options, created_at, ended_at, updated_at) select 'job_' || id, id, org_id, playback_id, 'completed', 'complete', '{}', '{}', 1, 1, 1 from assets`,
		`insert into tasks (id, job_id, asset_id, org_id, kind, position, rank, lane, state, due_at, deadline_sec, spec, weight, created_at, ended_at) select 'tsk_' || n.value || j.id, j.id, j.asset_id, j.org_id, 'video', n.value, 1, 'lane', 'done', 1, 1, '{}', 1, 1, 1 from jobs j, json_each('[1, 2]') n`,
		`insert into task_failures (task_id, epoch, job_id, asset_id, org_id, kind, reason, message, created_at) select id, 1, job_id, asset_id, org_id, kind, 'transient', 'No', 1 from tasks`,
	])
		await world.rows(`${sql} returning 1`)
	expect(await left(`posts where author_id = ${id}`)).toBe(20_000)
	expect(await left(`post_comments where author_id = ${id}`)).toBe(50_000)
	expect(await left(`memberships where user_id = ${id}`)).toBe(200)
	const { assetId, playbackId } = await openStudio(world, root).upload()
	await world.rows(
		`update assets set status = 'ready', manifest_key = 'm' where id = '${assetId}' returning 1`,
	)
	return { fixture, space, playbackId }
}

/** Sends requests of other users one after the other, until `end` is called. */
function sendOtherRequests(
	{ fixture, playbackId }: Awaited<ReturnType<typeof fill>>,
	reader: string,
	postId: number,
) {
	let isOver = false
	const answers: string[] = []
	const waits: number[] = []
	const statements = new Set<string>()
	/** Collects the statements before each request, which resets them. */
	const keepStatements = () => {
		for (const statement of world.statements) statements.add(statement)
	}
	const ask: typeof world.ask = async (op, input, who) => {
		keepStatements()
		const start = performance.now()
		const answer = await world.ask(op, input, who)
		waits.push(performance.now() - start)
		answers.push(`${op.method.toUpperCase()} ${answer.status}`)
		return answer
	}
	const done = (async () => {
		const params = { postId: String(postId) }
		while (!isOver) {
			await ask(listMembers, { params: { orgId: root.orgId }, query: {} }, { token: reader })
			await ask(listHomePosts, { query: {} }, fixture.owner)
			await ask(listPostComments, { params, query: {} }, fixture.owner)
			await ask(createPostComment, { params, body: { body: 'Meanwhile' } }, fixture.owner)
			await ask(listComments, { params: { playbackId }, query: {} })
			const body = { authorName: 'Viewer', body: 'Meanwhile' }
			await ask(createComment, { params: { playbackId }, query: {}, body })
		}
	})()
	return {
		async end() {
			isOver = true
			await done
			keepStatements()
			return { answers, waits, statements }
		},
	}
}

test.each([false, true])(
	'a large account is deleted in small steps while others keep working (delete_content: %s)',
	async (deleteContent) => {
		const reader = await world.logIn(root)
		const filled = await fill()
		const { fixture, space } = filled
		const postId = await fixture.post(space)
		const shared = (await left(`memberships where user_id = ${root.userId}`)) as number
		const { ok } = await world.request(ada, { delete_content: deleteContent })
		await world.settle()
		const otherRequests = sendOtherRequests(filled, reader, postId)
		const counts: number[] = []
		do {
			world.messages.length = 0
			await world.perform(async (d) => {
				await executeAccountDeletion(d, ok.id)
				counts.push(d.statements.count)
			})
		} while (world.messages.some(({ type }) => type === 'deletion.execute'))
		const { answers, waits, statements } = await otherRequests.end()
		expect(answers.length).toBeGreaterThan(6)
		expect([...new Set(answers)].toSorted()).toEqual(['GET 200', 'POST 201'])
		// D1 limits the queries of an invocation and the parameters and length of a statement.
		expect(Math.max(...counts)).toBeLessThan(1_000)
		expect(counts).toHaveLength(1)
		expect(statements.size).toBeGreaterThan(40)
		for (const statement of statements) {
			expect(statement.match(/\?/g)?.length ?? 0).toBeLessThanOrEqual(100)
			expect(statement.length).toBeLessThan(100_000)
		}
		if (env.SIMULATED_REQUESTS !== '')
			console.log(
				`delete_content ${deleteContent}: ${counts[0]} statements; ${answers.length} requests of others meanwhile, the slowest ${Math.round(Math.max(...waits))} ms, half of them within ${Math.round(waits.toSorted((a, b) => a - b)[waits.length >> 1] ?? 0)} ms`,
			)

		expect(await world.rows(`select status from account_deletion_requests where id = '${ok.id}'`)).toEqual([
			{ status: 'completed' },
		])
		const { userId } = ada
		expect(await left('posts')).toBe(20_021)
		expect(await left('posts where author_id is null')).toBe(20_000)
		expect(await left('posts where deleted_at is null')).toBe(deleteContent ? 21 : 20_021)
		expect(await left("posts where body like 'post %'")).toBe(deleteContent ? 0 : 20_000)
		expect(await left('post_comments where author_id is null')).toBe(50_000)
		expect(await left("post_comments where author_id is null and body <> ''")).toBe(
			deleteContent ? 0 : 50_000,
		)
		expect(await left("post_comments where deleted_at is null and body <> 'Meanwhile'")).toBe(
			deleteContent ? 10 : 50_010,
		)
		// The counters of posts, comments and RSVPs stay correct.
		expect(
			await left(
				'posts p where deleted_at is null and comments_count <> (select count(*) from post_comments c where c.post_id = p.id and c.deleted_at is null)',
			),
		).toBe(0)
		expect(
			await left(
				'post_comments p where deleted_at is null and replies_count <> (select count(*) from post_comments c where c.parent_id = p.id and c.deleted_at is null)',
			),
		).toBe(0)
		expect(await world.rows('select posts_count as n from space_topics')).toEqual([
			{ n: deleteContent ? 20 : 20_020 },
		])
		for (const table of ['post_terms', 'post_texts'])
			expect(await left(table), table).toBe(deleteContent ? 20 : 20_020)
		expect(await left("event_rsvps where status = 'going'")).toBe(1_500)
		expect(await left('event_rsvps')).toBe(1_500)
		expect(await left('events where going_count <> (id % 2 = 0)')).toBe(0)
		expect(await left('events where host_id is not null')).toBe(0)
		for (const table of ['memberships', 'bookmarks', 'post_followers', 'sessions', 'org_members'])
			expect(await left(`${table} where user_id = ${userId}`), table).toBe(0)
		for (const table of ['post_reactions', 'flags', 'notifications where subject_id <= 20000'])
			expect(await left(table), table).toBe(0)
		expect(await left('point_transactions where awarded_by_user_id is null')).toBe(3_000)
		expect(await left('point_transactions')).toBe(3_000)
		// Communities without members are deleted; the others have an owner.
		expect(await left('communities')).toBe(1 + shared)
		expect(
			await left(
				"communities c where not exists (select 1 from memberships m where m.community_id = c.id and m.role = 'owner') and exists (select 1 from memberships m where m.community_id = c.id) and c.id % 4 = 0",
			),
		).toBe(0)
		expect((await world.ask(listHomePosts, { query: {} }, fixture.owner)).ok.records).toHaveLength(20)
		// Organizations without members are deleted with all rows, and purges of their objects are recorded.
		expect(await left(`orgs where name like 'Own %'`)).toBe(0)
		expect(await left(`orgs where name like 'Shared %'`)).toBe(100)
		for (const table of ['assets', 'asset_terms', 'asset_search'])
			expect(await left(`${table} where org_id <> '${root.orgId}'`), table).toBe(0)
		for (const table of ['reactions', 'reaction_counts', 'renditions', 'jobs', 'tasks', 'task_failures'])
			expect(await left(table), table).toBe(0)
		expect(await left("comments where body <> 'Meanwhile'")).toBe(0)
		expect(await left("storage_purges where prefix like 'media/play%'")).toBe(3_000)
		expect(await left("storage_purges where prefix like '%/ast_%'")).toBe(6_000)
	},
)
