import { expect, test } from 'vitest'
import { averageOf, peakOf } from '../../../edge/transcoding/bitrates.ts'
import { parsePlaylist } from '../../../scripts/hls/playlist.ts'
import type { Stream } from '../../../scripts/hls/presentation.ts'
import { averageOfStream, measuredPeak } from '../../../scripts/hls/weight.ts'

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

test.each<[what: string, segments: [bytes: number, seconds: number][], peak: number]>([
	[
		'even segments',
		[
			[500, 4],
			[500, 4],
		],
		1_000,
	],
	[
		'one heavy segment',
		[
			[500, 4],
			[1_000, 4],
			[500, 4],
		],
		2_000,
	],
	[
		'a heavy short one counts with its neighbour',
		[
			[500, 4],
			[500, 1],
		],
		1_600,
	],
	[
		'a heavy one of half the target counts by itself',
		[
			[500, 4],
			[500, 2],
		],
		2_000,
	],
	['a single short one is all there is', [[500, 1]], 4_000],
])('the peak of %s', (_, pairs, peak) => {
	const segments = pairs.map(([bytes, seconds]) => ({ bytes, seconds }))
	expect(peakOf(segments, 4)).toBeCloseTo(peak, 6)
	expect(measuredPeak(streamOf(segments, 4))).toBeCloseTo(peak, 6)
})

test('who publishes and who checks weigh alike, though each has its own scale', () => {
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
		expect(averageOfStream(stream)).toBeCloseTo(averageOf(segments), 3)
		// The publisher never says less than the average, as short ends may weigh more than any run.
		expect(Math.max(measuredPeak(stream), averageOf(segments))).toBeCloseTo(peakOf(segments, 4), 3)
	}
})
