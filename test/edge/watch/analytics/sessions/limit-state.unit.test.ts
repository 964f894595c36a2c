import { expect, test } from 'vitest'
import { limitState } from '../../../../../edge/watch/analytics/sessions/limit-state.ts'
import { stateAt } from '../states.ts'

test('a session can claim everything possible since it began', () => {
	expect(limitState(stateAt(60), 60_000)).toEqual(stateAt(60))
	const late = stateAt(60, { renditionMs: { 720: 60_000 }, deliveredMs: { 720: 90_000 }, bitrateMs: 6e7 })
	expect(limitState(late, 30_000)).toEqual(late)
})

test('a session that claims too much gets two minutes more than it lasted', () => {
	const claimed = stateAt(7_200, {
		played: [0, 600, 100, 72_000],
		stalledMs: 7_000_000,
		seekMs: 7_000_000,
		startupMs: 500_000,
		waitedMs: 500_000,
		renditionMs: { 720: 6_000_000, 1080: 3_000_000 },
		deliveredMs: { 1080: 9_000_000 },
		bitrateMs: 9e12,
		stalls: 1_000_000,
		droppedFrames: 2e9,
		upscaleMs: 9e6,
		upscaleMax: 1,
	})
	expect(limitState(claimed, 60_000)).toMatchObject({
		watchedMs: 180_000,
		stalledMs: 180_000,
		seekMs: 180_000,
		startupMs: 180_000,
		waitedMs: 180_000,
		// A minute at four times the usual speed, and two minutes more.
		played: [0, 600, 100, 3_100],
		renditionMs: { 720: 120_000, 1080: 60_000 },
		// Four times as long as it lasted, and two minutes ahead.
		deliveredMs: { 1080: 360_000 },
		upscaleMs: 180_000,
		bitrateMs: 180_000 * 200_000,
		stalls: 1_800,
		droppedFrames: 43_200,
	})
})

test.each([
	// Nothing for a session of one report.
	[0, 0],
	[2_000, 32_000],
	// From then on, the player plays and has two minutes more.
	[10_000, 160_000],
	[3_600_000, 14_520_000],
])('the limit of loaded media after %i ms is %i ms', (elapsedMs, loadedMs) => {
	const claimed = stateAt(3, { deliveredMs: { 720: 9e8, 360: 3e8 } })
	const { deliveredMs } = limitState(claimed, elapsedMs)
	expect(deliveredMs).toEqual({ 720: (loadedMs * 3) / 4, 360: loadedMs / 4 })
	const honest = stateAt(3, { deliveredMs: { 720: loadedMs } })
	expect(limitState(honest, elapsedMs).deliveredMs).toEqual(honest.deliveredMs)
})
