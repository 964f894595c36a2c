import { beforeEach, expect, test } from 'vitest'
import { deleteHighlight, listHighlights, updateHighlight } from '#schema/contract/ai/highlights.ts'
import { getAsset } from '#schema/contract/video/assets.ts'
import { sendPlayerEvents } from '#schema/contract/watch/analytics/player-events.ts'
import { DAY, HOUR } from '../../../../edge/platform/clock.ts'
import { newId } from '../../../../edge/platform/database/ids.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { chrome, stateAt } from '../../watch/analytics/states.ts'
import { makeReady } from '../../watch/playback/ready-asset.ts'

const SECONDS = 100
/** Where highlights are, in seconds; by what is said, the first is the best. */
const parts = [10, 40, 70].map((start, at) => ({ title: `${start} s`, start, score: (6 - at) / 10 }))
/** The part that viewers watch again. */
const again = parts[2]?.start ?? 0

let world: World
let ada: Person
let film: { id: string; playbackId: string }
let ids: Map<string, string>
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	film = await makeReady(world, ada, 'Film', { durationSec: SECONDS })
	ids = new Map()
	for (const { title, start, score } of parts)
		await world.deps(({ db, now }) => {
			const id = newId('hlt', now)
			ids.set(title, id)
			return db.all(
				`insert into highlights (id, asset_id, org_id, title, description, start_ms, end_ms, score, reasons, status, task_id, clip_folder, created_at)
				values ('${id}', '${film.id}', '${ada.orgId}', '${title}', '', ${start * 1_000}, ${(start + 15) * 1_000}, ${score}, '["pause"]', 'ready', '${id}', 'clips/${id}/', ${now}) returning 1`,
			)
		})
})

/** Each session plays the video to its end, and one part of it again. */
async function watch(sessions: number): Promise<void> {
	const state = stateAt(SECONDS, {
		played: [0, SECONDS * 10, again * 10, (again + 15) * 10],
		watchedMs: (SECONDS + 15) * 1_000,
	})
	const events = Array.from({ length: sessions }, (_, at) => ({
		...{ kind: 'heartbeat' as const, playbackId: film.playbackId, sessionId: `session-${at}`, state },
	}))
	// A request may report five sessions.
	for (let at = 0; at < sessions; at += 5)
		await world.ask(sendPlayerEvents, { body: { events: events.slice(at, at + 5) } }, { headers: chrome })
}
const list = async () =>
	(await world.ask(listHighlights, { params: { playbackId: film.playbackId } })).ok.data.map(
		({ title, rank }) => [title, rank],
	)
const scores = async () =>
	(await world.ask(getAsset, { params: { assetId: film.id } }, ada)).ok.data.highlights.map(
		({ score, reasons }) => [score, reasons.includes('rewatch')],
	)
const rankings = () =>
	world.deps(async ({ db }) => {
		const rows = await db.all<{ at: number | null }>('select ranked_at as at from highlights')
		return rows.map(({ at }) => at)
	})
const bySpeech = [
	['10 s', 1],
	['40 s', 2],
	['70 s', 3],
]

test('highlights that viewers watch again rise, once they are a day old', async () => {
	await watch(100)
	await list()
	world.pass(DAY - HOUR)
	await list()
	expect(await list()).toEqual(bySpeech)
	world.pass(HOUR)
	await list()
	expect(await list()).toEqual([
		['10 s', 2],
		['40 s', 3],
		['70 s', 1],
	])
	const [first, second, third] = await scores()
	expect([first?.[1], second?.[1], third]).toEqual([false, false, [expect.any(Number), true]])
	expect(third?.[0]).toBeGreaterThan(0.8)
	expect(first?.[0]).toBeLessThan(0.6)
})

test('highlights with fewer than 100 sessions keep their order, and are compared once a day', async () => {
	await watch(99)
	world.pass(DAY)
	await Promise.all([list(), list()])
	const [rankedAt] = await rankings()
	expect(await scores()).toEqual(parts.map(({ score }) => [score, false]))
	world.pass(DAY - HOUR)
	expect(await list()).toEqual(bySpeech)
	expect(await rankings()).toEqual(Array(3).fill(rankedAt))
	world.pass(HOUR)
	await list()
	expect((await rankings())[0]).toBeGreaterThan(rankedAt ?? Number.POSITIVE_INFINITY)
})

test('the ranking leaves highlights that a person changed or deleted unchanged', { tags: 'd1' }, async () => {
	await watch(100)
	const params = (title: string) => ({ assetId: film.id, highlightId: ids.get(title) ?? '' })
	await world.ask(updateHighlight, { params: params('70 s'), body: { title: 'Mine' } }, ada)
	await world.ask(deleteHighlight, { params: params('40 s') }, ada)
	world.pass(DAY)
	await list()
	expect(await list()).toEqual([
		['10 s', expect.any(Number)],
		['Mine', expect.any(Number)],
	])
	const [first, third] = await scores()
	expect(third).toEqual([0.4, false])
	expect(first?.[0]).not.toBe(0.6)
})
