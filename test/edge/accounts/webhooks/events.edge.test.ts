import { beforeEach, describe, expect, test } from 'vitest'
import { createApiKey } from '#schema/contract/accounts/api-keys.ts'
import { readEvents } from '#schema/contract/accounts/webhooks/deliveries.ts'
import { createCommunity } from '#schema/contract/community/manage/communities.ts'
import {
	removeCommunityMember,
	updateCommunityMember,
} from '#schema/contract/community/manage/memberships.ts'
import { deactivateMember } from '#schema/contract/community/member/members.ts'
import { banMember, unbanMember } from '#schema/contract/community/member/moderation.ts'
import { createPost } from '#schema/contract/community/member/posts.ts'
import { publicEvents } from '#schema/contract/public-events.ts'
import { createAsset, deleteAsset } from '#schema/contract/video/assets.ts'
import { createComment, deleteComment } from '#schema/contract/watch/comments.ts'
import { toggleReaction } from '#schema/contract/watch/reactions.ts'
import { DAY } from '../../../../edge/platform/clock.ts'
import { openWorld, type Person, type Who, type World } from '../../../support/edge/world.ts'
import { openCommunity, select } from '../../community/community.ts'
import { makeReady } from '../../watch/playback/ready-asset.ts'

let world: World
let ada: Person
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
})

const read = async (query: Record<string, string> = {}, who: Who = ada) =>
	(await world.ask(readEvents, { query }, who)).ok
const create = (title: string, who: Who = ada) => world.ask(createAsset, { body: { title } }, who)

describe('the events of an organization', () => {
	test('events have data of the documented shape, and sequences without gaps', async () => {
		const { ok } = await create('Film')
		const params = { assetId: ok.data.id }
		await world.ask(deleteAsset, { params }, ada)
		const { data, next } = await read()
		expect(data.map(({ type, sequence }) => [type, sequence])).toEqual([
			['asset.created', 1],
			['asset.deleted', 2],
		])
		expect(next).toBe(2)
		expect(data[0]).toEqual({
			id: expect.stringMatching(/^evt_/),
			type: 'asset.created',
			timestamp: expect.stringMatching(/Z$/),
			sequence: 1,
			data: { assetId: ok.data.id, playbackId: ok.data.playbackId, title: 'Film' },
		})
		for (const { type, data: fields } of data)
			expect(publicEvents[type].data.strict().safeParse(fields).success).toBe(true)
	})

	test('the events of an organization include actions of viewers', async () => {
		const film = await makeReady(world, ada)
		const params = { playbackId: film.playbackId }
		const { next: after } = await read()
		const comment = await world.ask(createComment, { params, body: { authorName: 'Vi', body: 'Hello' } })
		const reaction = { sessionId: 'a'.repeat(24), emoji: '🔥' as const }
		await world.ask(toggleReaction, { params, body: reaction })
		await world.ask(toggleReaction, { params, body: reaction })
		const commentParams = { assetId: film.id, commentId: comment.ok.data.id }
		await world.ask(deleteComment, { params: commentParams }, ada)
		const ids = { assetId: film.id, playbackId: film.playbackId }
		const { data } = await read({ after: String(after) })
		expect(data.map(({ type, data }) => [type, data])).toEqual([
			['comment.created', { ...ids, commentId: comment.ok.data.id }],
			['reaction.added', { ...ids, emoji: '🔥' }],
			['comment.deleted', { ...ids, commentId: comment.ok.data.id }],
		])
	})

	test('the events of an organization include actions of members of its communities', {
		tags: 'd1',
	}, async () => {
		const fixture = await openCommunity(world)
		const member = await fixture.member()
		const spaceId = await fixture.space()
		const params = { spaceId: String(spaceId) }
		await world.ask(createPost, { params, body: { name: 'Hello', body: 'Hello' } }, member)
		// The event is recorded when the post is indexed.
		await world.deliver()
		await world.ask(deactivateMember, {}, member)
		const { data } = await read({}, fixture.owner)
		expect(data.map(({ type, data }) => [type, data])).toEqual([
			['post.created', { communityId: fixture.id, postId: expect.any(Number) }],
			['member.left', { communityId: fixture.id, memberId: member.memberId }],
		])
		for (const { type, data: fields } of data)
			expect(publicEvents[type].data.strict().safeParse(fields).success).toBe(true)
	})

	test('events record once that a member left, and that the member is back', async () => {
		const fixture = await openCommunity(world)
		const member = await fixture.member()
		const params = { communityId: String(fixture.id), memberId: String(member.memberId) }
		const memberParams = { memberId: String(member.memberId) }
		const memberEvents = async () =>
			(await read({}, fixture.owner)).data.map(({ type, data }) => [type, data.memberId])
		const [left, joined, banned] = (['member.left', 'member.joined', 'member.banned'] as const).map(
			(type) => [type, member.memberId],
		)
		await world.ask(banMember, { params: memberParams }, fixture.owner)
		await world.ask(updateCommunityMember, { params, body: { status: 'inactive' } }, fixture.owner)
		expect(await memberEvents()).toEqual([left, banned])
		await world.ask(updateCommunityMember, { params, body: { status: 'active' } }, fixture.owner)
		await world.ask(updateCommunityMember, { params, body: { status: 'active' } }, fixture.owner)
		expect(await memberEvents()).toEqual([left, banned, joined])
		await world.ask(banMember, { params: memberParams }, fixture.owner)
		await world.ask(unbanMember, { params: memberParams }, fixture.owner)
		expect(await memberEvents()).toEqual([left, banned, joined, left, banned, joined])
		await world.ask(banMember, { params: memberParams }, fixture.owner)
		await world.ask(removeCommunityMember, { params }, fixture.owner)
		expect(await memberEvents()).toEqual([left, banned, joined, left, banned, joined, left, banned])
		const other = await fixture.member()
		await world.ask(
			removeCommunityMember,
			{ params: { ...params, memberId: String(other.memberId) } },
			fixture.owner,
		)
		expect((await memberEvents()).slice(8)).toEqual([['member.left', other.memberId]])
	})

	test('the events of a community begin with the person who creates it', async () => {
		const body = { name: 'Film club', slug: 'film-club' }
		const { id: communityId } = (await world.ask(createCommunity, { body }, ada)).ok.data
		const { data } = await read()
		expect(data).toMatchObject([{ type: 'member.joined', data: { communityId } }])
	})

	test('events are not visible to other organizations', async () => {
		await create('Film')
		const eve = await world.person()
		expect((await read({}, eve)).data).toEqual([])
		await create('Other', eve)
		expect((await read({}, eve)).data.map(({ sequence }) => sequence)).toEqual([1])
	})

	test('events can be read page by page, and by type', async () => {
		for (const title of ['A', 'B', 'C']) await create(title)
		const first = await read({ limit: '2' })
		expect(first.data.map(({ sequence }) => sequence)).toEqual([1, 2])
		const rest = await read({ after: String(first.next) })
		expect(rest.data.map(({ sequence }) => sequence)).toEqual([3])
		expect((await read({ after: '3' })).next).toBe(3)
		// Nothing of these types is left before the newest event.
		expect(await read({ types: 'asset.deleted,comment.created' })).toEqual({ data: [], next: 3 })
		expect((await world.ask(readEvents, { query: { types: 'asset.unknown' } }, ada)).status).toBe(400)
	})

	test('events are kept for 30 days, and later events continue the sequence', async () => {
		const scopes: ('read' | 'write')[] = ['read', 'write']
		const keyRequest = { params: { orgId: ada.orgId }, body: { name: 'Test', scopes } }
		const { key } = (await world.ask(createApiKey, keyRequest, ada)).ok.data
		await create('Old')
		await create('Newer')
		world.pass(31 * DAY)
		await world.cron('17 3 * * *')
		expect((await read({}, { key })).data).toEqual([])
		const kept = await select<{ payload: string }>(world, 'select payload from outbox where sequence = 2')
		expect(kept.map(({ payload }) => Object.keys(JSON.parse(payload)))).toEqual([['assetId', 'playbackId']])
		await create('New', { key })
		expect((await read({}, { key })).data.map(({ sequence }) => sequence)).toEqual([3])
	})

	test('20 concurrent events get sequences without gaps', async () => {
		await Promise.all(Array.from({ length: 20 }, (_, i) => create(`Film ${i}`)))
		const { data } = await read()
		expect(data.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1))
	})
})

describe('waiting for events', () => {
	test('waiting for events returns as soon as one happens', { tags: 'd1' }, async () => {
		const waiting = world.ask(readEvents, { query: { wait: '25' } }, ada)
		// The first poll finds nothing.
		while (!world.statements.some((sql) => sql.includes('newest.sequence'))) await new Promise(setImmediate)
		await create('Film')
		const { data } = (await waiting).ok
		expect(data.map(({ type }) => type)).toEqual(['asset.created'])
	})

	test('waiting for events skips events of other types', { tags: 'd1' }, async () => {
		const waiting = world.ask(readEvents, { query: { wait: '25', types: 'asset.deleted' } }, ada)
		const { id: assetId } = (await create('Film')).ok.data
		await world.ask(deleteAsset, { params: { assetId } }, ada)
		const { data, next } = (await waiting).ok
		expect(data.map(({ type, sequence }) => [type, sequence])).toEqual([['asset.deleted', 2]])
		expect(next).toBe(2)
	})

	test('an organization may wait for events in 20 concurrent requests', async () => {
		const waiting = Array.from({ length: 21 }, () => world.ask(readEvents, { query: { wait: '25' } }, ada))
		const eve = await world.person()
		await create('Other', eve)
		expect((await world.ask(readEvents, { query: { wait: '25' } }, eve)).status).toBe(200)
		await create('Film')
		const statuses = (await Promise.all(waiting)).map(({ status }) => status)
		expect(statuses.toSorted()).toEqual([...Array(20).fill(200), 429])
		expect((await world.ask(readEvents, { query: { wait: '1' } }, ada)).status).toBe(200)
	})

	test('waiting for events rejects waits over 25 seconds', async () => {
		expect((await world.ask(readEvents, { query: { wait: '26' } }, ada)).status).toBe(400)
	})
})
