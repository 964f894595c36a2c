import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { changePassword } from '#schema/contract/accounts/identity.ts'
import * as sessions from '#schema/contract/accounts/sessions.ts'
import { removeCommunityMember } from '#schema/contract/community/manage/memberships.ts'
import { listNotifications, streamNotifications } from '#schema/contract/community/member/notifications.ts'
import { createPostComment } from '#schema/contract/community/member/post-comments.ts'
import * as tokens from '#schema/contract/community/member/tokens.ts'
import { requestAccountDeletion } from '#schema/contract/operations/account-deletion.ts'
import { executeAccountDeletion } from '../../../../edge/operations/account-deletion/execute/execution.ts'
import { HOUR, MINUTE } from '../../../../edge/platform/clock.ts'
import type { LiveStreams } from '../../../../edge/platform/live-streams/live-streams.ts'
import { openWorld, type World } from '../../../support/edge/world.ts'
import { type Community, memberTokens, openCommunity, select } from '../community.ts'

type Member = Awaited<ReturnType<Community['member']>>
type Tokens = Awaited<ReturnType<typeof memberTokens>>
let world: World
let fixture: Community
let ada: Member
let bo: Member
let postId: number
type OpenStream = { response: Response; next(): Promise<string | null>; end(): Promise<void> }
const opened: OpenStream[] = []
beforeEach(async () => {
	world = await openWorld()
	fixture = await openCommunity(world)
	ada = await fixture.member()
	bo = await fixture.member()
	postId = await fixture.post(await fixture.space(), { author_id: ada.userId })
	world.messages.length = 0
})
afterEach(async () => {
	for (const stream of opened.splice(0)) await stream.end()
})

const ask = (who: Partial<Member>, headers: Record<string, string> = {}) =>
	world.fetch(
		new Request(`https://edge.test${streamNotifications.path}`, {
			headers: { authorization: `Bearer ${who.token}`, ...fixture.headers, ...headers },
		}),
	)

/** Opens a notification stream. `next` returns the next block, or null at the end. */
async function listen(who: Member, headers: Record<string, string> = {}): Promise<OpenStream> {
	const response = await ask(who, headers)
	if (!response.body) throw new Error(`no stream, but ${response.status}`)
	const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
	let text = ''
	const next = async (): Promise<string | null> => {
		for (;;) {
			const end = text.indexOf('\n\n')
			if (end >= 0) {
				const block = text.slice(0, end)
				text = text.slice(end + 2)
				return block
			}
			const { done, value } = await reader.read()
			if (done) return null
			text += value
		}
	}
	const stream = { response, next, end: () => reader.cancel() }
	opened.push(stream)
	expect(await next()).toBe('retry: 5000')
	return stream
}

const streams = () => {
	const namespace = (env as unknown as { LIVE_STREAMS: DurableObjectNamespace<LiveStreams> }).LIVE_STREAMS
	return namespace.getByName(`community-${fixture.id}`)
}
/** Pushes a made-up notification, before which a listener got all others. */
async function push(who: Member) {
	const data = { id: 9_999, kind: 'post_comment' }
	await streams().publish([{ topics: [`member:${who.memberId}`], type: 'notification', data }])
}
async function comment(who: Member) {
	const input = { params: { postId: String(postId) }, body: { body: 'Hi' } }
	await world.ask(createPostComment, input, who)
	await world.deliver()
}
const newestId = async (who: Member) =>
	(await world.ask(listNotifications, { query: {} }, who)).ok.records[0]?.id as number
const blockOf = (id: number) => `id: ${id}\nevent: notification\ndata: {"id":${id},"kind":"post_comment"}`

test('pushes a notification to every stream of the member, and to no other member', {
	tags: 'd1',
}, async () => {
	const [phone, laptop, other] = [await listen(ada), await listen(ada), await listen(bo)]
	expect(phone.response.headers.get('content-type')).toBe('text/event-stream')
	expect(phone.response.headers.get('cache-control')).toBe('no-store')
	await comment(bo)
	const block = blockOf(await newestId(ada))
	expect([await phone.next(), await laptop.next()]).toEqual([block, block])
	await push(bo)
	expect(await other.next()).toBe(blockOf(9_999))
})

test('resumes a stream with the missed notifications that are still visible', async () => {
	await comment(bo)
	const last = await newestId(ada)
	await comment(bo)
	await comment(bo)
	const newest = await newestId(ada)
	const resumed = await listen(ada, { 'last-event-id': String(last) })
	expect([await resumed.next(), await resumed.next()]).toEqual([blockOf(newest - 1), blockOf(newest)])
	await select(world, `update posts set deleted_at = 1 where id = ${postId} returning 1`)
	const later = await listen(ada, { 'last-event-id': String(last) })
	await push(ada)
	expect(await later.next()).toBe(blockOf(9_999))
	expect((await ask(ada, { 'last-event-id': 'x' })).status).toBe(400)
})

test('rejects a stream without an active membership', async () => {
	const nonMember = await world.person()
	expect((await ask({ token: 'nonsense' })).status).toBe(401)
	expect((await ask(nonMember)).status).toBe(403)
})

test('the sixth stream of a member closes the oldest one, which receives the reason', async () => {
	const [oldest, second] = [await listen(ada), await listen(ada)]
	const other = await listen(bo)
	for (let i = 0; i < 4; i++) await listen(ada)
	expect(await oldest.next()).toBe('data: {"type":"closed","reason":"replaced"}')
	expect(await oldest.next()).toBeNull()
	for (const who of [ada, bo]) await push(who)
	for (const stream of opened.filter((each) => each !== oldest))
		expect(await stream.next()).toBe(blockOf(9_999))
	expect(opened).toContain(second)
	expect(opened).toContain(other)
	expect(await streams().countStreams()).toBe(6)
})

test('two hundred streams may be open from one address, and one more gets 429', async () => {
	const opening = { topics: [], access: 'ses_1', address: 'unknown', lastEventId: null, token: null, now: 0 }
	const sockets = Array.from({ length: 200 }, async (_, holder) => {
		const query = new URLSearchParams({
			opening: JSON.stringify({ ...opening, holder: `member:-${holder}` }),
		})
		const { webSocket } = await streams().fetch(`https://streams/?${query}`, {
			headers: { upgrade: 'websocket' },
		})
		webSocket?.accept()
		return webSocket
	})
	const [first] = await Promise.all(sockets)
	const refused = await ask(ada)
	expect(refused.status).toBe(429)
	expect(refused.headers.get('retry-after')).toBe('30')
	first?.close()
	await expect.poll(() => streams().countStreams()).toBe(199)
	await listen(ada)
})

test('a stream socket that sends a message is closed with 1008, and other sockets stay open', async () => {
	const stream = await listen(ada)
	const opening = {
		...{ topics: [], holder: 'member:0', access: 'ses_1', address: 'unknown', lastEventId: null },
		...{ token: null, now: 0 },
	}
	const query = new URLSearchParams({ opening: JSON.stringify(opening) })
	const { webSocket } = await streams().fetch(`https://streams/?${query}`, {
		headers: { upgrade: 'websocket' },
	})
	const closed = new Promise<number>((resolve) => {
		webSocket?.addEventListener('close', ({ code }) => resolve(code))
	})
	webSocket?.accept()
	webSocket?.send('hello')
	expect(await closed).toBe(1008)
	await comment(bo)
	expect(await stream.next()).toBe(blockOf(await newestId(ada)))
})

test('lists a notification whose push failed', async () => {
	const stream = await listen(ada)
	await stream.end()
	await comment(bo)
	expect(await newestId(ada)).toBeGreaterThan(0)
})

const endings: [what: string, end: (stream: { token: string }) => Promise<unknown>][] = [
	['signing out', ({ token }) => world.ask(sessions.logout, {}, { token })],
	[
		'ending its session from another one',
		async ({ token }) => {
			const open = (await world.ask(sessions.listSessions, {}, { token })).ok.data
			const sessionId = open.find(({ current }) => current)?.id ?? ''
			await world.ask(sessions.revokeSession, { params: { sessionId } }, ada)
		},
	],
	[
		'a change of password in another session',
		() => {
			const body = { currentPassword: ada.password, newPassword: 'another long one' }
			return world.ask(changePassword, { body }, ada)
		},
	],
	[
		'renewing its session a second time',
		async ({ token }) => {
			await world.ask(sessions.refreshToken, {}, { token })
			world.pass(MINUTE)
			await world.ask(sessions.refreshToken, {}, { token })
		},
	],
]

test.each(endings)('closes the streams of a session immediately after %s', async (_, end) => {
	const token = await world.logIn(ada)
	const [stream, other] = [await listen({ ...ada, token }), await listen(bo)]
	await end({ token })
	expect(await stream.next()).toBeNull()
	await push(bo)
	expect(await other.next()).toBe(blockOf(9_999))
})

test('keeps the streams of other sessions open after signing out', { tags: 'd1' }, async () => {
	const token = await world.logIn(ada)
	const remaining = await listen(ada)
	await world.ask(sessions.logout, {}, { token })
	await comment(bo)
	expect(await remaining.next()).toBe(blockOf(await newestId(ada)))
})

const revocations: [what: string, end: (memberToken: Tokens, first: Tokens) => Promise<unknown>][] = [
	[
		'revoking the access token',
		({ access_token }) => world.ask(tokens.revokeMemberAccessToken, { body: { access_token } }),
	],
	[
		'revoking the refresh token',
		({ refresh_token }) => world.ask(tokens.revokeMemberRefreshToken, { body: { refresh_token } }),
	],
	[
		'reusing an old refresh token',
		(_, { refresh_token }) => world.ask(tokens.refreshMemberToken, { body: { refresh_token } }),
	],
	[
		'revoking all tokens of the member',
		() => {
			const params = { communityId: String(fixture.id), memberId: String(ada.memberId) }
			return world.ask(tokens.revokeMemberTokens, { params }, fixture.owner)
		},
	],
]

test.each(revocations)('closes the streams of a member token immediately after %s', async (_, end) => {
	const first = await memberTokens(world, await fixture.key(), ada.memberId)
	const memberToken = (
		await world.ask(tokens.refreshMemberToken, { body: { refresh_token: first.refresh_token } })
	).ok
	const stream = await listen({ ...ada, token: memberToken.access_token })
	await end(memberToken, first)
	expect(await stream.next()).toBeNull()
})

test('pushes nothing to a stream 30 seconds after its session or token ended, even if the stream missed the close', async () => {
	const token = await world.logIn(ada)
	const memberToken = await memberTokens(world, await fixture.key(), ada.memberId)
	const ended = [await listen({ ...ada, token }), await listen({ ...ada, token: memberToken.access_token })]
	const remaining = await listen(ada)
	const [session] = (await world.ask(sessions.listSessions, {}, { token })).ok.data.filter((s) => s.current)
	await select(world, `delete from sessions where id = '${session?.id}' returning id`)
	await select(world, 'delete from member_grants returning id')
	world.pass(30_000)
	await comment(bo)
	for (const stream of ended) expect(await stream.next()).toBeNull()
	expect(await remaining.next()).toBe(blockOf(await newestId(ada)))
})

test('closes a stream when its token expires', async () => {
	const memberToken = await memberTokens(world, await fixture.key(), ada.memberId)
	world.pass(HOUR - 5 * MINUTE)
	const [short, long] = [await listen({ ...ada, token: memberToken.access_token }), await listen(ada)]
	world.pass(6 * MINUTE)
	await push(ada)
	expect(await short.next()).toBeNull()
	expect(await long.next()).toBe(blockOf(9_999))
})

test('closes a stream when the member is removed or the account is deleted', { tags: 'd1' }, async () => {
	const [removed, deleted] = [await listen(bo), await listen(ada)]
	const params = { communityId: String(fixture.id), memberId: String(bo.memberId) }
	await world.ask(removeCommunityMember, { params }, fixture.owner)
	expect(await removed.next()).toBeNull()
	const requested = await world.ask(requestAccountDeletion, { body: { confirm_email: ada.email } }, ada)
	await world.deps((deps) => executeAccountDeletion(deps, requested.ok.id))
	expect(await deleted.next()).toBeNull()
})
