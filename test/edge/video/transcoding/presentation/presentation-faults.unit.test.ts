import { expect, test } from 'vitest'
import { writePresentation } from '../../../../../edge/video/transcoding/presentation/presentation.ts'
import { UnfitOutputsError } from '../../../../../edge/video/transcoding/presentation/rung-streams.ts'
import type { TaskOutput } from '../../../../../edge/video/transcoding/presentation/task-output.ts'
import { describeSource } from '../../../../support/shared/described-source.ts'
import { makePerfectOutputs } from './perfect-outputs.ts'

type Breakage = (outputs: TaskOutput[]) => void
const chunk = (outputs: TaskOutput[], index: number) => {
	const result = outputs.find((each) => each.result.kind === 'video' && each.index === index)?.result
	if (result?.kind !== 'video') throw new Error(`no chunk ${index}`)
	return result
}
const copy = (outputs: TaskOutput[]) => {
	const result = outputs.find((each) => each.result.kind === 'remux')?.result
	if (result?.kind !== 'remux') throw new Error('no copy')
	return result.rung
}

test.each<[string, Breakage, RegExp]>([
	['a chunk with one frame too few', (all) => (chunk(all, 1).frames -= 1), /frames, not/],
	[
		'a rung with one frame fewer than its chunk',
		(all) => {
			const segment = chunk(all, 3).rungs[1]?.segments[0]
			if (segment) segment.frames -= 1
		},
		/h264-480p has \d+ frames, not/,
	],
	[
		'a chunk with one segment too few',
		(all) => {
			for (const rung of chunk(all, 0).rungs) {
				const [first, second, ...rest] = rung.segments
				if (first && second) rung.segments = [{ ...first, frames: first.frames + second.frames }, ...rest]
			}
		},
		/segments, not/,
	],
	[
		'an init segment that differs between chunks',
		(all) => {
			const rung = chunk(all, 1).rungs[0]
			if (rung) rung.init = { ...rung.init, sha256: 'b'.repeat(64) }
		},
		/does not match/,
	],
	[
		'another encoder',
		(all) => {
			const rung = chunk(all, 1).rungs[0]
			if (rung) rung.encoder = 'h264_nvenc'
		},
		/encoded by h264_nvenc/,
	],
	['a chunk without one of its rungs', (all) => chunk(all, 1).rungs.pop(), /has no rung h264-240p/],
	['a chunk without its sheet', (all) => (chunk(all, 2).sheet = null), /has no sheet/],
	[
		'a copy with a moved cut',
		(all) => {
			const [first, second] = copy(all).segments
			if (first && second) [first.frames, second.frames] = [first.frames + 1, second.frames - 1]
		},
		/segment 0 of h264-1080p has 121 frames, but h264-720p has 120/,
	],
	[
		'a copy that ends two frames later',
		(all) => {
			const last = copy(all).segments.at(-1)
			if (last) last.frames += 2
		},
		/segment 14 of/,
	],
])('a presentation with the fault %s is rejected', (_, breakOutputs, message) => {
	const { plan, outputs } = makePerfectOutputs(describeSource(60))
	breakOutputs(outputs)
	expect(() => writePresentation(plan, outputs)).toThrow(UnfitOutputsError)
	expect(() => writePresentation(plan, outputs)).toThrow(message)
})

test('a copied rung may end one frame before or after the grid', () => {
	for (const more of [-1, 1]) {
		const { plan, outputs } = makePerfectOutputs(describeSource(60))
		const last = copy(outputs).segments.at(-1)
		if (last) last.frames += more
		expect(writePresentation(plan, outputs)?.isWhole).toBe(true)
	}
})
