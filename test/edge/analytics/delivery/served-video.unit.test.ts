import { describe, expect, test } from 'vitest'
import { servedVideoOf } from '../../../../edge/analytics/delivery/served-video.ts'

const of = (path: string, { durationSec = 10 as number | null, share = 1 } = {}) =>
	servedVideoOf({ video: { durationSec }, path, share })

describe('the video in a served file', () => {
	test.each([
		['v1/h264-720p/0.m4s', { quality: '720p', ms: 4_000 }],
		['v1/h264-720p/2.m4s', { quality: '720p', ms: 2_000 }],
		// Segments of a copied rendition may be shorter, so there may be more of them.
		['v1/h264-720p/3.m4s', { quality: '720p', ms: 500 }],
		['v1/480p/1.m4s', { quality: '480p', ms: 4_000 }],
	])('%s', (path, expected) => expect(of(path)).toEqual(expected))

	test('is not counted for other files', () => {
		for (const path of ['v1/a0/1.m4s', 'v1/h264-720p/init.mp4', 'v1/master.m3u8', 'v1/h264-0p/1.m4s'])
			expect(of(path)).toBeNull()
	})

	test('counts by the bytes that are sent, so that all parts together are the segment', () => {
		expect(of('v1/h264-720p/0.m4s', { share: 1 / 1_000 })).toEqual({ quality: '720p', ms: 4 })
		expect(of('v1/h264-720p/0.m4s', { share: 999 / 1_000 })).toEqual({ quality: '720p', ms: 3_996 })
	})

	test('is a whole segment if the duration of the video is not known', () => {
		expect(of('v1/h264-720p/900.m4s', { durationSec: null })).toEqual({ quality: '720p', ms: 4_000 })
	})
})
