import { describe, expect, test } from 'vitest'
import { chooseClipInputs } from '../../../../../edge/video/transcoding/presentation/clip-inputs.ts'
import { writeMediaPlaylist } from '../../../../../edge/video/transcoding/presentation/playlists.ts'
import { readMediaPlaylist } from '../../../../../edge/video/transcoding/presentation/read-playlist.ts'

const NTSC = { num: 30_000, den: 1_001 }
const FRAMES = 120

const publish = (id: string, lengths: readonly number[], perSecond: { num: number; den: number }) =>
	readMediaPlaylist(
		writeMediaPlaylist({
			initUri: `${id}/init.mp4`,
			segments: lengths.map((length, k) => ({ uri: `${id}/${k}.m4s`, length })),
			perSecond,
			targetSec: 4,
		}),
		'job/',
	)

/** An hour, whose last segment has half as many frames. */
const video = publish('v', [...Array.from({ length: 899 }, () => FRAMES), FRAMES / 2], NTSC)
const total = 899.5 * FRAMES
const audio = publish(
	'a',
	Array.from({ length: 900 }, () => 192_192),
	{ num: 48_000, den: 1 },
)

describe('the inputs of a clip', () => {
	test('a clip reads exactly the segments of its frames, even far into a video', () => {
		const inputs = chooseClipInputs(
			{ video, audio: null },
			{ fps: NTSC, firstFrame: 800 * FRAMES, frames: 2 * FRAMES },
		)
		expect(inputs).toEqual({
			video: ['job/v/init.mp4', 'job/v/800.m4s', 'job/v/801.m4s'],
			audio: [],
			frames: 2 * FRAMES,
		})
	})

	test('a clip reads some sound before its first frame and after its last one', () => {
		const { audio: keys } = chooseClipInputs(
			{ video, audio },
			{ fps: NTSC, firstFrame: 10 * FRAMES + 1, frames: FRAMES - 2 },
		)
		expect(keys).toEqual(['job/a/init.mp4', 'job/a/9.m4s', 'job/a/10.m4s', 'job/a/11.m4s'])
	})

	test.each([
		['all', total - 100, 100, 100],
		['the existing', total - 100, 160, 100],
		['none', total, 100, 0],
		['none', total + 50, 100, -50],
	])('a clip reads %s of its frames at the end of a video', (_, firstFrame, frames, expected) => {
		const inputs = chooseClipInputs({ video, audio: null }, { fps: NTSC, firstFrame, frames })
		expect(inputs.frames).toBe(expected)
		expect(inputs.video.at(-1)).toBe(expected > 0 ? 'job/v/899.m4s' : undefined)
	})

	test('a clip of sound alone is cut in milliseconds, up to the end', () => {
		const fps = { num: 1_000, den: 1 }
		expect(chooseClipInputs({ video: null, audio }, { fps, firstFrame: 3_600_000, frames: 10_000 })).toEqual({
			video: [],
			audio: ['job/a/init.mp4', 'job/a/899.m4s'],
			frames: 3_600,
		})
	})
})

test('a text without segments is rejected as a playlist', () => {
	expect(readMediaPlaylist('#EXTM3U\n', 'job/')).toBeNull()
})
