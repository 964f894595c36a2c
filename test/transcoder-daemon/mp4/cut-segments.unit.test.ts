import { expect, test } from 'vitest'
import { cutSegments } from '../../../transcoder-daemon/mp4/cut-segments.ts'
import type { Fragment } from '../../../transcoder-daemon/mp4/segments.ts'

/** `k25` is a fragment of 25 frames that begins with a keyframe, `-5` one of 5 that does not. */
async function* fragments(...kinds: string[]): AsyncGenerator<Fragment> {
	let baseTime = 0
	for (const kind of kinds) {
		const samples = Number(kind.slice(1))
		yield {
			kind: 'fragment',
			bytes: Buffer.alloc(samples, kind),
			samples,
			keyBytes: 1,
			isKey: kind.startsWith('k'),
			baseTime,
			durationTicks: samples,
			firstPts: baseTime,
		}
		baseTime += samples
	}
}

async function cut(kinds: string[], cuts: number[]) {
	const segments: [number, number][] = []
	for await (const { baseTime, samples, bytes } of cutSegments(fragments(...kinds), cuts)) {
		expect(bytes).toHaveLength(samples)
		segments.push([baseTime, samples])
	}
	return segments
}

test.each([
	[
		['k25', 'k25', 'k10'],
		[0, 25, 50],
		[
			[0, 25],
			[25, 25],
			[50, 10],
		],
	],
	[
		['k10', 'k15', 'k25'],
		[0, 25],
		[
			[0, 25],
			[25, 25],
		],
	],
	[
		['k10', '-15', 'k25', '-1'],
		[0, 25],
		[
			[0, 25],
			[25, 26],
		],
	],
	[['k7', 'k3'], [0], [[0, 10]]],
])('segments are cut from the fragments %j at the frames %j', async (kinds, cuts, segments) => {
	expect(await cut(kinds, cuts)).toEqual(segments)
})

test.each([
	[['k25', '-25'], [0, 25], 'frame 25 begins a segment but is not a keyframe'],
	[['k30', 'k20'], [0, 25], 'frame 25 begins a segment but is not a keyframe'],
	[['k25', 'k25'], [0, 25, 50], 'the video ends at frame 50,'],
	[['k20'], [0, 25], 'the video ends at frame 20,'],
	[[], [0, 25], 'the video ends at frame 0,'],
])('segments can’t be cut from the fragments %j at the frames %j', async (kinds, cuts, message) => {
	await expect(cut(kinds, cuts)).rejects.toThrow(message)
})
