import { expect, test } from 'vitest'
import {
	chooseSegmentLength,
	countFramesPerSegment,
	type FrameGrid,
	planEvenCuts,
	planFrameGrid,
	planKeyframeCuts,
	splitIntoChunks,
} from '../../../../../edge/video/transcoding/plan/frame-grid.ts'
import { describeVideo } from '../../../../support/shared/described-source.ts'
import { propertyRuns } from '../../../../support/shared/property-runs.ts'

const gridOf = (num: number, den: number, overrides: Parameters<typeof describeVideo>[1] = {}) =>
	planFrameGrid(describeVideo(60, { frameRate: { num, den }, ...overrides }))
const rate = ({ fps }: FrameGrid) => `${fps.num}/${fps.den}`

test.each<[what: string, num: number, den: number, fps: string, isSources: boolean]>([
	['film', 24_000, 1_001, '24000/1001', true],
	['film, rounded', 2_997, 125, '24000/1001', true],
	['almost NTSC, but too far off to be it', 2_998, 100, '1499/50', true],
	['24', 24, 1, '24/1', true],
	['PAL', 25, 1, '25/1', true],
	['NTSC', 30_000, 1_001, '30000/1001', true],
	['NTSC, rounded', 2_997, 100, '30000/1001', true],
	['30', 30, 1, '30/1', true],
	['half of PAL', 25, 2, '25/2', true],
	['50', 50, 1, '50/1', true],
	['59.94', 60_000, 1_001, '60000/1001', true],
	['60', 60, 1, '60/1', true],
	['15', 15, 1, '15/1', true],
	['an unusual rate', 27, 1, '27/1', true],
	['120, halved', 120, 1, '60/1', false],
	['119.88, halved', 120_000, 1_001, '60000/1001', false],
	['100, halved', 100, 1, '50/1', false],
	['90, halved', 90, 1, '45/1', false],
	['144, divided by three', 144, 1, '48/1', false],
	['240, divided by four', 240, 1, '60/1', false],
	['one frame every four seconds', 1, 4, '1/1', false],
])('a frame grid is planned for %s at %d/%d', (_, num, den, fps, isSources) => {
	const grid = gridOf(num, den)
	expect(rate(grid)).toBe(fps)
	expect(grid.isSources).toBe(isSources)
})

test.each<[mean: number, fps: string]>([
	[29.97, '30000/1001'],
	[23.98, '24000/1001'],
	[25, '25/1'],
	[15, '15/1'],
	[29.2, '30/1'],
	[11.8, '30/1'],
	[3, '30/1'],
	[37, '60/1'],
	[59.9, '60000/1001'],
	[110, '60/1'],
])('a frame grid is planned for a variable rate of %d on average', (mean, fps) => {
	const grid = gridOf(Math.round(mean * 1_000), 1_000, { isConstantRate: false, frameCount: null })
	expect(rate(grid)).toBe(fps)
	expect(grid.isSources).toBe(false)
})

test('frames are counted from the start of the container: by its frame count, or else by its duration', () => {
	const counted = gridOf(30_000, 1_001, { frameCount: 1_799, startSec: 1, durationSec: 59 })
	expect(counted.frames).toBe(1_799)
	expect(gridOf(30_000, 1_001, { frameCount: null, durationSec: 60 }).frames).toBe(1_798)
	expect(gridOf(30, 1, { frameCount: null, startSec: 0.5, durationSec: 10 }).frames).toBe(315)
	expect(gridOf(120, 1, { frameCount: 7_200, durationSec: 60 }).frames).toBe(3_600)
	expect(gridOf(30, 1, { frameCount: null, durationSec: 0.001 }).frames).toBe(1)
})

test('a rounded frame rate drifts less than 0.05 s in twelve hours', () => {
	for (let den = 999_001; den < 999_101; den++) {
		const num = 27 * den + 13 * (den % 89)
		const { fps } = gridOf(num, den)
		expect(fps.num).toBeLessThanOrEqual(1_000_000)
		expect(Math.abs((fps.num / fps.den) * (den / num) - 1) * 43_200).toBeLessThan(0.05)
	}
})

test.each<[num: number, den: number, frames: number, length: string]>([
	[30_000, 1_001, 120, '1001/250'],
	[24_000, 1_001, 96, '1001/250'],
	[25, 1, 100, '4/1'],
	[25, 2, 50, '4/1'],
	[60_000, 1_001, 240, '1001/250'],
	[27, 1, 108, '4/1'],
	[1, 1, 4, '4/1'],
])('a segment at the rate %d/%d has %d frames', (num, den, frames, length) => {
	expect(countFramesPerSegment({ num, den })).toBe(frames)
	const { num: above, den: below } = chooseSegmentLength({ num, den })
	expect(`${above}/${below}`).toBe(length)
})

test('copies are cut at the first keyframe after about four seconds', () => {
	const grid = (frames: number) => ({ fps: { num: 30, den: 1 }, isSources: true, frames })
	const every = (frames: number, until: number) =>
		Array.from({ length: Math.ceil(until / frames) }, (_, k) => k * frames)
	expect(planKeyframeCuts(grid(600), every(144, 600))).toEqual([0, 144, 288, 432, 576])
	expect(planKeyframeCuts(grid(600), every(60, 600))).toEqual([0, 120, 240, 360, 480])
	// 119 frames count as 120; waiting for the next keyframe would double the segment.
	expect(planKeyframeCuts(grid(600), every(119, 600))).toEqual([0, 119, 238, 357, 476])
	expect(planKeyframeCuts(grid(600), every(75, 600))).toEqual([0, 150, 300, 450])
	expect(planKeyframeCuts(grid(600), [0])).toEqual([0])
	expect(planKeyframeCuts(grid(250), every(120, 250))).toEqual([0, 120])
})

const segmentsOf = (seconds: number, longestGopSec: number | null = 2) => {
	const grid = { fps: { num: 30, den: 1 }, isSources: true, frames: seconds * 30 }
	return splitIntoChunks(grid, planEvenCuts(grid), longestGopSec).map(({ cuts }) => cuts.length)
}

test.each<[seconds: number, segments: number[]]>([
	[0.5, [1]],
	[5, [2]],
	[20, [2, 2, 1]],
	[60, [4, 3, 2, 2, 2, 2]],
	[139, [4, 4, 4, 4, 4, 4, 3, 2, 2, 2, 2]],
	[300, [8, 8, 8, 8, 8, 8, 7, 5, 4, 3, 2, 2, 2, 2]],
	[600, [15, 15, 15, 15, 15, 15, 15, 12, 9, 6, 5, 4, 3, 2, 2, 2]],
])('a video of %d s is cut into chunks that shrink towards the end: %j', (seconds, segments) => {
	expect(segmentsOf(seconds)).toEqual(segments)
})

test('videos of several hours have one-minute chunks', () => {
	const segments = segmentsOf(43_200)
	expect(segments).toHaveLength(726)
	expect(segments.slice(0, 700).every((count) => count === 15)).toBe(true)
})

/** Returns the total time if each machine takes the next chunk when it is free. `speeds` are segments per second. */
function timeWith(speeds: readonly number[], segments: readonly number[]): number {
	const free = speeds.map((speed) => ({ speed, at: 0 }))
	for (const count of segments) {
		const first = free.toSorted((a, b) => a.at - b.at)[0]
		if (first) first.at += count / first.speed
	}
	return Math.max(...free.map(({ at }) => at))
}

test.each<[seconds: number, speeds: number[], share: number]>([
	// Of fifteen segments, one machine gets eight and the other seven.
	[60, [1, 1], 0.93],
	[60, [1, 1, 1, 1], 0.93],
	[64, [1, 1], 1],
	[120, [1, 1, 1], 0.9],
	[300, [1, 1], 0.97],
	[300, [1, 1, 1], 0.98],
	[300, [3, 1], 0.93],
	[600, [1, 1, 1, 1], 0.97],
	[600, [4, 2, 1], 0.95],
	[3_600, Array(16).fill(1), 0.9],
])('machines sharing %d s at speeds %j are busy for at least %d of the time', (seconds, speeds, share) => {
	const segments = segmentsOf(seconds)
	const total = segments.reduce((sum, count) => sum + count, 0)
	const ideal = total / speeds.reduce((sum, speed) => sum + speed, 0)
	expect(ideal / timeWith(speeds, segments)).toBeGreaterThanOrEqual(share)
})

test('very long GOPs make chunks equally long, because each chunk decodes whole GOPs', () => {
	expect(segmentsOf(60, 10)).toEqual([4, 3, 3, 3, 2])
	expect(segmentsOf(600, 100)).toEqual(Array(6).fill(25))
	expect(segmentsOf(600, 600)).toEqual([150])
})

test('no chunk has more segments over all rungs than one completion can report', () => {
	const grid = { fps: { num: 30, den: 1 }, isSources: true, frames: 50_000 * 30 }
	for (const rungs of [1, 7, 24])
		for (const { cuts } of splitIntoChunks(grid, planEvenCuts(grid), 50_000, rungs))
			expect(cuts.length * rungs).toBeLessThanOrEqual(16_000 + rungs)
})

test('each frame of any video is in one chunk and one segment of limited length', () => {
	let seed = 7
	const random = () => {
		seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
		return seed / 2 ** 31
	}
	const rates = [
		[24_000, 1_001],
		[24, 1],
		[25, 1],
		[25, 2],
		[30_000, 1_001],
		[30, 1],
		[60_000, 1_001],
		[1, 1],
	]
	for (let run = 0; run < propertyRuns(150); run++) {
		const [num = 1, den = 1] = rates[run % rates.length] ?? []
		const fps = { num, den }
		const seconds = (frames: number) => (frames * den) / num
		const frames = 1 + Math.floor(random() ** 3 * 7_200 * (num / den))
		const grid = { fps, isSources: true, frames }
		const isCopy = run % 2 === 1
		const gop = 1 + Math.floor(random() * 6 * (num / den))
		const keyframes = Array.from({ length: Math.ceil(frames / gop) }, (_, k) => k * gop)
		const cuts = isCopy ? planKeyframeCuts(grid, keyframes) : planEvenCuts(grid)
		const longest = isCopy ? seconds(gop) : random() * 20
		const chunks = splitIntoChunks(grid, cuts, longest)

		expect(cuts[0]).toBe(0)
		const ends = [...cuts.slice(1), frames]
		const lengths = cuts.map((cut, k) => seconds((ends[k] ?? 0) - cut))
		expect(Math.min(...lengths)).toBeGreaterThan(0)
		// A copy waits for a keyframe, and the last segment absorbs a remainder that is too short.
		const longestSegment = isCopy ? 4 + seconds(gop) : seconds(countFramesPerSegment(fps))
		expect(Math.max(...lengths)).toBeLessThanOrEqual(longestSegment + 0.5)
		expect(chunks.flatMap((chunk) => chunk.cuts)).toEqual(cuts)
		let [frame, segment] = [0, 0]
		for (const [k, chunk] of chunks.entries()) {
			expect(chunk).toMatchObject({ firstFrame: frame, firstSegment: segment })
			expect(chunk.cuts[0]).toBe(frame)
			expect(chunk.frames === null).toBe(k === chunks.length - 1)
			frame += chunk.frames ?? frames - frame
			segment += chunk.cuts.length
		}
		expect(frame).toBe(frames)
		const counts = chunks.map((chunk) => chunk.cuts.length)
		expect(counts).toEqual(counts.toSorted((x, y) => y - x))
	}
})
