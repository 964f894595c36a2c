/** @module-tag d1 */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { streamAssetProgress } from '#schema/contract/video/transcoding.ts'
import { LiveCount, streamLiveCount } from '#schema/contract/watch/analytics/live-viewers.ts'
import { sendPlayerEvents } from '#schema/contract/watch/analytics/player-events.ts'
import { PlaybackSessions } from '../../../../../edge/watch/analytics/sessions/session-object.ts'
import { openWorld, type Person, type World } from '../../../../support/edge/world.ts'
import { openStudio } from '../../../video/transcoding/transcoding-fixture.ts'
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

afterEach(() => {
	vi.restoreAllMocks()
})

type LiveEvent = { id: string; viewers: number }

async function openStream(headers: Record<string, string> = {}) {
	const url = `https://edge.test/v1/assets/${film.id}/live-stream`
	const response = await world.fetch(
		new Request(url, { headers: { authorization: `Bearer ${ada.token}`, ...headers } }),
	)
	expect(response.headers.get('content-type')).toBe('text/event-stream')
	const reader = (response.body as ReadableStream<Uint8Array>).getReader()
	const decoder = new TextDecoder()
	const read = async () => decoder.decode((await reader.read()).value)
	expect(await read()).toMatch(/^retry: [2-8]\d{3}\n\n$/)
	/** Returns the next event. A stream with nothing to send writes comments. */
	async function next(): Promise<LiveEvent> {
		let text = await read()
		while (text === ': still here\n\n') text = await read()
		const [, id = '', json = ''] = /^id: (\d+)\nevent: live\ndata: (.+)\n\n$/.exec(text) ?? []
		const { viewers, at } = LiveCount.parse(JSON.parse(json))
		expect(at).toMatch(/^2037-/)
		return { id, viewers }
	}
	/** Returns the events before the first with this number of viewers. */
	async function until(viewers: number): Promise<LiveEvent[]> {
		const before: LiveEvent[] = []
		for (;;) {
			const event = await next()
			if (event.viewers === viewers) return before
			before.push(event)
		}
	}
	return { next, until, close: () => reader.cancel() }
}

const watch = (sessionId: string) =>
	world.ask(
		sendPlayerEvents,
		{ body: { events: [{ kind: 'heartbeat', playbackId: film.playbackId, sessionId, state: stateAt(3) }] } },
		{ headers: chrome },
	)

test('a live stream sends the count at once and after each change, and resumes for a returning client', async () => {
	const stream = await openStream()
	expect(await stream.next()).toEqual({ id: '0', viewers: 0 })
	await watch('session-a')
	await watch('session-b')
	// The stream may have looked for a new count between the two.
	expect([[], [{ id: '1', viewers: 1 }]]).toContainEqual(await stream.until(2))
	await stream.close()
	const resumed = await openStream({ 'last-event-id': '2' })
	await watch('session-c')
	expect(await resumed.until(3)).toEqual([])
	await resumed.close()
})

test('many streams of one video cost one call per second for the live count', async () => {
	let clock = 0
	vi.spyOn(performance, 'now').mockImplementation(() => clock)
	const viewers = vi.spyOn(PlaybackSessions.prototype, 'viewers')
	const streams = [await openStream()]
	streams.push(...(await Promise.all(Array.from({ length: 29 }, () => openStream()))))
	for (const stream of streams) expect((await stream.next()).viewers).toBe(0)
	expect(viewers).toHaveBeenCalledTimes(1)
	for (const count of [1, 2, 3]) {
		await watch(`session-${count}`)
		// The report asks the object for the count, too.
		viewers.mockClear()
		clock += 1_000
		// Each stream has looked for a new count at least once before it sends one.
		for (const stream of streams) expect((await stream.next()).viewers).toBe(count)
		expect(viewers).toHaveBeenCalledTimes(1)
	}
	for (const stream of streams) await stream.close()
})

test('streams of progress and of the live count share a limit of 50, and the 51st waits for an end', async () => {
	const studio = openStudio(world, ada)
	const { assetId } = await studio.upload()
	await studio.start(assetId)
	const load = ({ path }: { path: string }, id: string) =>
		world.fetch(
			new Request(`https://edge.test${path.replace('{assetId}', id)}`, {
				headers: { authorization: `Bearer ${ada.token}` },
			}),
		)
	const openProgress = async () => {
		const { status, body } = await load(streamAssetProgress, assetId)
		expect(status).toBe(200)
		return { close: async () => body?.cancel() }
	}
	const opening = [
		...Array.from({ length: 25 }, openProgress),
		...Array.from({ length: 25 }, () => openStream()),
	]
	const streams: { close(): Promise<void> | undefined }[] = await Promise.all(opening)
	for (const refused of [await load(streamAssetProgress, assetId), await load(streamLiveCount, film.id)])
		expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '30'])
	await streams.pop()?.close()
	streams.push(await openStream())
	for (const stream of streams) await stream.close()
})
