import { expect, test } from 'vitest'
import type { PlayableRow } from '../../../../../edge/video/assets/store.ts'
import { limitQualities } from '../../../../../edge/watch/analytics/ingest/limit-qualities.ts'
import type { SessionEvents } from '../../../../../edge/watch/analytics/ingest/read-events.ts'
import { stateAt } from '../states.ts'

const claimed: SessionEvents = {
	playbackId: 'film',
	sessionId: 'session',
	indexes: [0],
	state: stateAt(9, { renditionMs: { 240: 1, 720: 2 }, deliveredMs: { 240: 1, 360: 2, 1080: 4, 2160: 8 } }),
	events: [
		{ kind: 'quality_change', at: 1, height: 2_160 },
		{ kind: 'quality_change', at: 2, height: 240 },
		{ kind: 'activity', at: 3, rate: 1 },
	],
	isEnd: false,
}
const limited = (width: number | null, height: number | null) =>
	limitQualities(claimed, { width, height } as PlayableRow)

test('qualities that a video lacks count as its tallest one', () => {
	const { state, events } = limited(360, 640)
	expect(state).toEqual({
		...claimed.state,
		renditionMs: { 240: 1, 360: 2 },
		deliveredMs: { 240: 1, 360: 14 },
	})
	expect(events).toEqual([{ ...claimed.events[0], height: 360 }, ...claimed.events.slice(1)])
})

test('all qualities are kept for a video of unknown size', () => {
	expect(limited(null, null)).toEqual(claimed)
})
