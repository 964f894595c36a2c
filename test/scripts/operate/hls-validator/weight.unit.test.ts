import { expect, test } from 'vitest'
import {
	computeAverageRateBps,
	computePeakRateBps,
} from '../../../../edge/video/transcoding/plan/bitrates.ts'
import { parsePlaylist } from '../../../../scripts/operate/hls-validator/playlist.ts'
import type { Stream } from '../../../../scripts/operate/hls-validator/presentation.ts'
import { measurePeak, measureStreamAverage } from '../../../../scripts/operate/hls-validator/weight.ts'

type Segment = { bytes: number; seconds: number }

function streamOf(segments: readonly Segment[], target: number): Stream {
	const lines = segments.map(({ seconds }, k) => `#EXTINF:${seconds},\n${k}.m4s`)
	const playlist = parsePlaylist(`#EXTM3U\n#EXT-X-TARGETDURATION:${target}\n${lines.join('\n')}\n`)
	if (playlist.kind !== 'media') throw new Error('no media playlist')
	const nothing = { format: 'ts' as const, fragments: [], startsWithMoof: false, isWhole: true, text: null }
	const loaded = playlist.segments.map((listed, k) => {
		return { listed, url: '', init: null, media: { ...nothing, bytes: segments[k]?.bytes ?? 0 } }
	})
	return { role: 'variant', name: 'x', url: 'x', playlist, segments: loaded, inits: [] }
}

test.each<[label: string, segments: [bytes: number, seconds: number][], peak: number]>([
	[
		'even segments',
		[
			[500, 4],
			[500, 4],
		],
		1_000,
	],
	[
		'one large segment',
		[
			[500, 4],
			[1_000, 4],
			[500, 4],
		],
		2_000,
	],
	[
		'a short large segment counts together with its neighbor',
		[
			[500, 4],
			[500, 1],
		],
		1_600,
	],
	[
		'a large segment of half the target counts alone',
		[
			[500, 4],
			[500, 2],
		],
		2_000,
	],
	['a single short segment', [[500, 1]], 4_000],
])('the validator computes the peak bit rate: %s', (_, pairs, peak) => {
	const segments = pairs.map(([bytes, seconds]) => ({ bytes, seconds }))
	expect(computePeakRateBps(segments, 4)).toBeCloseTo(peak, 6)
	expect(measurePeak(streamOf(segments, 4))).toBeCloseTo(peak, 6)
})

test('the validator computes the same bit rates as the publisher, whose code is separate', () => {
	let seed = 5
	const random = () => {
		seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
		return seed / 2 ** 31
	}
	for (let run = 0; run < 300; run++) {
		const count = 1 + Math.floor(random() * 40)
		const segments = Array.from({ length: count }, () => ({
			bytes: 1 + Math.floor(random() * 1e6),
			seconds: Number((random() < 0.2 ? 0.1 + random() : 3.5 + random()).toFixed(3)),
		}))
		const stream = streamOf(segments, 4)
		expect(measureStreamAverage(stream)).toBeCloseTo(computeAverageRateBps(segments), 3)
		// The publisher's peak is at least the average, because a short last segment may exceed every run.
		expect(Math.max(measurePeak(stream), computeAverageRateBps(segments))).toBeCloseTo(
			computePeakRateBps(segments, 4),
			3,
		)
	}
})
