import { describe, expect, test } from 'vitest'
import type { MediaInfo } from '#schema/contract/video/media-info.ts'
import { writePresentation } from '../../../../edge/video/transcoding/presentation/presentation.ts'
import { findInitSegment, listFirstPlaylists } from '../../../../edge/watch/player/first-playlists.ts'
import { describeOptions, describeSource } from '../../../support/shared/described-source.ts'
import { makePerfectOutputs } from '../../video/transcoding/presentation/perfect-outputs.ts'

/** Returns the playlists that the product writes for a source. */
function presentationOf(info: MediaInfo, options = describeOptions()) {
	const { plan, outputs } = makePerfectOutputs(info, options)
	const files = writePresentation(plan, outputs)?.files ?? []
	const textOf = (name: string | null) => files.find((file) => file.name === name)?.text ?? ''
	return { textOf, first: listFirstPlaylists(textOf('master.m3u8')) }
}

const small = { codec: 'vp9', displayWidth: 640, displayHeight: 360 } as const
const large = { codec: 'vp9', displayWidth: 3840, displayHeight: 2160 } as const

describe('the first playlists', () => {
	test('playback begins with the largest H.264 rendition of at most 1 Mb/s, and the default audio', () => {
		// 360 bytes per frame and 30 frames a second are 86,400 b/s; 2160 are 518,400. The audio adds 128,000.
		const { first, textOf } = presentationOf(describeSource(60, large))
		expect(first).toEqual({ video: 'h264-2160p.m3u8', lowest: 'h264-240p.m3u8', audio: 'a0.m3u8' })
		for (const name of [first.video, first.audio]) expect(textOf(name)).toContain('#EXTINF')
	})

	test('playback begins with the smallest rendition if all exceed 1 Mb/s', () => {
		const master = `#EXTM3U
#EXT-X-STREAM-INF:BANDWIDTH=9000000,AVERAGE-BANDWIDTH=6000000,CODECS="avc1.640028",RESOLUTION=1920x1080
large.m3u8
#EXT-X-STREAM-INF:BANDWIDTH=4000000,AVERAGE-BANDWIDTH=2000000,CODECS="avc1.640028",RESOLUTION=1280x720
small.m3u8
`
		expect(listFirstPlaylists(master)).toEqual({ video: 'small.m3u8', lowest: 'small.m3u8', audio: null })
	})

	test('playback begins with H.264 even if other codecs have smaller renditions', () => {
		const { first } = presentationOf(
			describeSource(60, small),
			describeOptions({ codecs: ['h264', 'hevc', 'av1'] }),
		)
		expect(first.video).toBe('h264-360p.m3u8')
	})

	test('playback begins with the only rendition of a video that has one', () => {
		const tiny = { codec: 'vp9', displayWidth: 192, displayHeight: 144 } as const
		const { first } = presentationOf(describeSource(10, tiny))
		expect(first).toEqual({ video: 'h264-144p.m3u8', lowest: 'h264-144p.m3u8', audio: 'a0.m3u8' })
	})

	test('playback begins without audio if the video has none', () => {
		expect(presentationOf(describeSource(60, small, [])).first).toEqual({
			video: 'h264-360p.m3u8',
			lowest: 'h264-240p.m3u8',
			audio: null,
		})
	})

	test('playback begins with the default audio track of several, whatever its place is', () => {
		const audio = [
			{ language: 'eng', isDefault: false },
			{ language: 'deu', title: 'Kommentar, "laut" #EXT-X-MEDIA:TYPE=AUDIO', isDefault: true },
		]
		expect(presentationOf(describeSource(60, small, audio)).first).toEqual({
			video: 'h264-360p.m3u8',
			lowest: 'h264-240p.m3u8',
			audio: 'a1.m3u8',
		})
	})

	test('playback begins with the audio alone if there is no video', () => {
		expect(presentationOf(describeSource(60, null)).first).toEqual({
			video: 'a0.m3u8',
			lowest: 'a0.m3u8',
			audio: null,
		})
		const two = [
			{ language: 'eng', isDefault: false },
			{ language: 'deu', isDefault: true },
		]
		expect(presentationOf(describeSource(60, null, two)).first).toEqual({
			video: 'a1.m3u8',
			lowest: 'a1.m3u8',
			audio: 'a1.m3u8',
		})
	})

	test('the first playlists share the audio of the group that the first rendition names', () => {
		const master = `#EXTM3U
#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="low",NAME="English",DEFAULT=YES,URI="low.m3u8"
#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="high",NAME="Other",DEFAULT=NO,URI="other.m3u8"
#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="high",NAME="English, loud",DEFAULT=YES,URI="high.m3u8"
#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="high",NAME="English",DEFAULT=YES,URI="text.m3u8"
#EXT-X-STREAM-INF:BANDWIDTH=900000,CODECS="avc1.640028,mp4a.40.2",RESOLUTION=640x360,AUDIO="high"
360.m3u8
#EXT-X-STREAM-INF:BANDWIDTH=300000,CODECS="avc1.640028,mp4a.40.2",RESOLUTION=426x240,AUDIO="low"
240.m3u8
`
		expect(listFirstPlaylists(master)).toEqual({
			video: '360.m3u8',
			lowest: '360.m3u8',
			audio: 'high.m3u8',
		})
	})
})

test.each(['', '#EXTM3U\n', 'not a playlist', '#EXT-X-STREAM-INF:', '#EXT-X-MEDIA:TYPE=AUDIO'])(
	'a master playlist without renditions names no audio: %j',
	(master) => {
		expect(listFirstPlaylists(master).audio).toBeNull()
	},
)

test('the init segment of a playlist is found by its tag', () => {
	const { first, textOf } = presentationOf(describeSource(60, small))
	expect(findInitSegment(textOf(first.video))).toMatch(/^tsk_video\d-1\/h264-360p\/init\.mp4$/)
	expect(findInitSegment(textOf(first.audio))).toMatch(/\/a0\/init\.mp4$/)
	expect(findInitSegment('#EXTM3U\n')).toBeUndefined()
})
