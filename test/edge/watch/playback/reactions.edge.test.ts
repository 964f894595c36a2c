import { beforeEach, expect, test } from 'vitest'
import { deleteAsset } from '#schema/contract/video/assets.ts'
import { type Emoji, getReactions, REACTIONS, toggleReaction } from '#schema/contract/watch/reactions.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { makeReady } from './ready-asset.ts'

let world: World
let ada: Person
let film: { id: string; playbackId: string }
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	film = await makeReady(world, ada)
})

const params = () => ({ playbackId: film.playbackId })
const toggle = (sessionId: string, emoji: Emoji) =>
	world.ask(toggleReaction, { params: params(), body: { sessionId, emoji } })
const read = async (sessionId?: string) =>
	(await world.ask(getReactions, { params: params(), query: { ...(sessionId && { sessionId }) } })).ok.data

test('a reaction to a video is toggled and counted per session', async () => {
	expect(await read()).toEqual({ counts: {}, userReactions: [] })
	await toggle('viewer-one', '🔥')
	await toggle('viewer-one', '👍')
	const { ok } = await toggle('viewer-two', '🔥')
	expect(ok.data).toEqual({ counts: { '👍': 1, '🔥': 2 }, userReactions: ['🔥'] })
	expect(await read('viewer-one')).toEqual({ counts: { '👍': 1, '🔥': 2 }, userReactions: ['👍', '🔥'] })
	expect(await read()).toEqual({ counts: { '👍': 1, '🔥': 2 }, userReactions: [] })
	expect((await toggle('viewer-one', '🔥')).ok.data).toEqual({
		counts: { '👍': 1, '🔥': 1 },
		userReactions: ['👍'],
	})
	await toggle('viewer-two', '🔥')
	expect(await read()).toEqual({ counts: { '👍': 1 }, userReactions: [] })
})

test('the counts of reactions match the rows after concurrent toggles', async () => {
	const one = Array.from({ length: 15 }, () => toggle('viewer-one', '👏'))
	const many = Array.from({ length: 10 }, (_, i) => toggle(`viewer-${i}-of-many`, '👏'))
	await Promise.all([...one, ...many])
	// An odd number of toggles leaves one reaction.
	expect(await read('viewer-one')).toEqual({ counts: { '👏': 11 }, userReactions: ['👏'] })
	expect(await world.deps((d) => d.db.all('select * from reactions'))).toHaveLength(11)
})

test('unknown emoji and malformed session ids are rejected for a reaction to a video', async () => {
	for (const emoji of REACTIONS) expect((await toggle('viewer-one', emoji)).status).toBe(200)
	for (const emoji of ['', 'x', '💩', '🔥🔥', null])
		expect((await toggle('viewer-one', emoji as Emoji)).status).toBe(400)
	for (const session of ['', 'short', 'x'.repeat(65), 'has spaces in it', "'; drop table--"])
		expect((await toggle(session, '🔥')).status).toBe(400)
})

test('reactions to a video require a ready asset and are deleted with it', async () => {
	await toggle('viewer-one', '🔥')
	const unknown = await world.ask(getReactions, { params: { playbackId: 'x'.repeat(22) }, query: {} })
	expect(unknown.status).toBe(404)
	await world.ask(deleteAsset, { params: { assetId: film.id } }, ada)
	expect((await toggle('viewer-one', '🔥')).status).toBe(404)
	for (const table of ['reactions', 'reaction_counts'])
		expect(await world.deps((d) => d.db.all(`select * from ${table}`))).toEqual([])
})

test('no reaction is counted for a deleted asset that is still cached', async () => {
	await read()
	await world.deps((d) => d.db.all('delete from assets returning 1'))
	expect((await toggle('viewer-one', '🔥')).status).toBe(404)
	expect(await world.deps((d) => d.db.all('select * from reaction_counts'))).toEqual([])
})
