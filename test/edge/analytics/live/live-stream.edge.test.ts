import { beforeEach, expect, test, vi } from 'vitest'
import { sendPlayerEvents } from '#schema/contract/video/analytics/player-events.ts'
import { PlaybackSessions } from '../../../../edge/analytics/sessions/session-object.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { makeReady } from '../../playback/ready-asset.ts'
import { chrome, stateAt } from '../states.ts'

let world: World
let ada: Person
let film: { id: string; playbackId: string }
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	film = await makeReady(world, ada)
})

async function openStream(headers: Record<string, string> = {}) {
	const url = `https://edge.test/v1/assets/${film.id}/live-stream`
	const response = await world.fetch(
		new Request(url, { headers: { authorization: `Bearer ${ada.token}`, ...headers } }),
	)
	expect(response.headers.get('content-type')).toBe('text/event-stream')
	const reader = (response.body as ReadableStream<Uint8Array>).getReader()
	const decoder = new TextDecoder()
	/** Returns the next chunk of the stream. */
	const next = async () => decoder.decode((await reader.read()).value)
	expect(await next()).toMatch(/^retry: [2-8]\d{3}\n\n$/)
	return { next, close: () => reader.cancel() }
}

const watch = (sessionId: string) =>
	world.ask(
		sendPlayerEvents,
		{ body: { events: [{ kind: 'heartbeat', playbackId: film.playbackId, sessionId, state: stateAt(3) }] } },
		{ headers: chrome },
	)
const eventWith = (viewers: number) =>
	new RegExp(`^id: ${viewers}\nevent: live\ndata: {"viewers":${viewers},"at":"2037-[^"]+Z"}\n\n$`)

test('a live stream sends the count at once and after each change, and goes on where a client left', async () => {
	const stream = await openStream()
	expect(await stream.next()).toMatch(eventWith(0))
	await watch('session-a')
	await watch('session-b')
	expect(await stream.next()).toMatch(eventWith(2))
	await stream.close()
	const resumed = await openStream({ 'last-event-id': '2' })
	await watch('session-c')
	expect(await resumed.next()).toMatch(eventWith(3))
	await resumed.close()
})

test('many streams of one video cost one call a second', async () => {
	const viewers = vi.spyOn(PlaybackSessions.prototype, 'viewers')
	const startedAt = performance.now()
	const streams = await Promise.all(Array.from({ length: 30 }, () => openStream()))
	await Promise.all(streams.map((stream) => stream.next()))
	await watch('session-a')
	await Promise.all(streams.map(async (stream) => expect(await stream.next()).toMatch(eventWith(1))))
	const seconds = (performance.now() - startedAt) / 1_000
	for (const stream of streams) await stream.close()
	const calls = viewers.mock.calls.length
	viewers.mockRestore()
	// The report of the player counts, too: once for its response, and once as the load of the object.
	expect(calls).toBeGreaterThan(1)
	expect(calls).toBeLessThanOrEqual(Math.ceil(seconds) + 3)
})
