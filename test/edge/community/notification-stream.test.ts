import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { listNotifications, streamNotifications } from '#schema/contract/community/notifications.ts'
import { createPostComment } from '#schema/contract/community/post-comments.ts'
import type { MemberStreams } from '../../../edge/community/notifications/streams.ts'
import { HOUR } from '../../../edge/platform/clock.ts'
import { openWorld, type World } from '../world.ts'
import { type Community, openCommunity, select } from './community.ts'

type Member = Awaited<ReturnType<Community['member']>>
let world: World
let club: Community
let ada: Member
let bo: Member
let postId: number
type Listening = { response: Response; next(): Promise<string | null>; end(): Promise<void> }
const opened: Listening[] = []
beforeEach(async () => {
	world = await openWorld()
	club = await openCommunity(world)
	ada = await club.member()
	bo = await club.member()
	postId = await club.post(await club.space(), { author_id: ada.userId })
	world.messages.length = 0
})
afterEach(async () => {
	for (const stream of opened.splice(0)) await stream.end()
})

const ask = (who: Partial<Member>, headers: Record<string, string> = {}) =>
	world.fetch(
		new Request(`https://edge.test${streamNotifications.path}`, {
			headers: { authorization: `Bearer ${who.token}`, ...club.headers, ...headers },
		}),
	)

/** The blocks of a stream, as they come. */
async function listen(who: Member, headers: Record<string, string> = {}): Promise<Listening> {
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
	const namespace = (env as unknown as { MEMBER_STREAMS: DurableObjectNamespace<MemberStreams> })
		.MEMBER_STREAMS
	return namespace.getByName(`community-${club.id}`)
}
async function comment(who: Member) {
	const said = { params: { postId: String(postId) }, body: { body: 'Hi' } }
	await world.ask(createPostComment, said, who)
	await world.deliver()
}
const newestId = async (who: Member) =>
	(await world.ask(listNotifications, { query: {} }, who)).ok.records[0]?.id as number
const blockOf = (id: number) => `id: ${id}\nevent: notification\ndata: {"id":${id},"kind":"post_comment"}`

test('whoever listens learns at once, on each device, and nobody else does', async () => {
	const [phone, laptop, other] = [await listen(ada), await listen(ada), await listen(bo)]
	expect(phone.response.headers.get('content-type')).toBe('text/event-stream')
	expect(phone.response.headers.get('cache-control')).toBe('no-store')
	await comment(bo)
	const block = blockOf(await newestId(ada))
	expect([await phone.next(), await laptop.next()]).toEqual([block, block])
	await streams().beat()
	expect(await other.next()).toBe(':')
})

test('who comes back gets what came in between, and only what may still be seen', async () => {
	await comment(bo)
	const last = await newestId(ada)
	await comment(bo)
	await comment(bo)
	const newest = await newestId(ada)
	const back = await listen(ada, { 'last-event-id': String(last) })
	expect([await back.next(), await back.next()]).toEqual([blockOf(newest - 1), blockOf(newest)])
	await select(world, `update posts set deleted_at = 1 where id = ${postId} returning 1`)
	const later = await listen(ada, { 'last-event-id': String(last) })
	await streams().beat()
	expect(await later.next()).toBe(':')
	expect((await ask(ada, { 'last-event-id': 'x' })).status).toBe(400)
})

test('a stream takes a member of the community', async () => {
	const stranger = await world.person()
	expect((await ask({ token: 'nonsense' })).status).toBe(401)
	expect((await ask(stranger)).status).toBe(403)
})

test('a member has five at a time, and another one again when one ends', async () => {
	for (let i = 0; i < 5; i++) await listen(ada)
	const sixth = await ask(ada)
	expect(sixth.status).toBe(429)
	expect(sixth.headers.get('retry-after')).toBe('30')
	await (await listen(bo)).end()
	await streams().beat(Date.now() + HOUR)
	for (const stream of opened) expect(await stream.next()).toBeNull()
	expect(await streams().listening()).toBe(0)
	await listen(ada)
})

test('a push that cannot be made is no harm: the list has it', async () => {
	const stream = await listen(ada)
	await stream.end()
	await comment(bo)
	expect(await newestId(ada)).toBeGreaterThan(0)
})
