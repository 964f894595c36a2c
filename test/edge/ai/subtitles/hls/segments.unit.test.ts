import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addSubtitleTracks } from '../../../../../edge/ai/subtitles/hls/master-tracks.ts'
import {
	readCues,
	writeSubtitlePlaylist,
	writeSubtitleSegment,
} from '../../../../../edge/ai/subtitles/hls/segments.ts'
import { writeWebVtt } from '../../../../../edge/ai/transcripts/subtitle-files.ts'
import { writePresentation } from '../../../../../edge/video/transcoding/presentation/presentation.ts'
import { readWebVtt } from '../../../../../scripts/operate/hls-validator/web-vtt.ts'
import { describeSource } from '../../../../support/shared/described-source.ts'
import { propertyRuns } from '../../../../support/shared/property-runs.ts'
import { makePerfectOutputs } from '../../../video/transcoding/presentation/perfect-outputs.ts'

/** Returns the playlists that the product writes for ten seconds at 29.97 frames per second. */
function playlistsOf(isAudioOnly: boolean) {
	const fps = { num: 30_000, den: 1_001 }
	const video = { codec: 'vp9', displayWidth: 640, displayHeight: 360, frameRate: fps } as const
	const info = describeSource(10, isAudioOnly ? null : video)
	const { plan, outputs } = makePerfectOutputs(info)
	const files = writePresentation(plan, outputs)?.files ?? []
	return (name: string) => files.find((file) => file.name === name)?.text ?? ''
}

const english = { language: 'en', name: 'English "GB"', key: 'x', source: 'transcript' } as const
const german = { language: 'de-AT', name: 'Deutsch', key: 'y', source: 'transcript' } as const

test('the master playlist lists the subtitles of each language, and each variant refers to them', () => {
	const before = playlistsOf(false)('master.m3u8')
	const after = addSubtitleTracks(before, [english, german]).split('\n')
	expect(after.filter((line) => line.includes('TYPE=SUBTITLES'))).toEqual([
		'#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="subtitles",NAME="English GB",LANGUAGE="en",DEFAULT=NO,AUTOSELECT=YES,FORCED=NO,CHARACTERISTICS="public.accessibility.transcribes-spoken-dialog",URI="subtitles/en/h264-360p.m3u8"',
		'#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="subtitles",NAME="Deutsch",LANGUAGE="de-AT",DEFAULT=NO,AUTOSELECT=YES,FORCED=NO,CHARACTERISTICS="public.accessibility.transcribes-spoken-dialog",URI="subtitles/de-AT/h264-360p.m3u8"',
	])
	const variants = after.filter((line) => line.startsWith('#EXT-X-STREAM-INF:'))
	expect(variants.length).toBeGreaterThan(1)
	for (const variant of variants) expect(variant).toMatch(/,SUBTITLES="subtitles"$/)
	const others = after.filter((line) => !line.includes('TYPE=SUBTITLES'))
	expect(others.join('\n').replaceAll(',SUBTITLES="subtitles"', '')).toBe(before)
})

test('a master playlist without subtitles, or without variants, stays unchanged', () => {
	const master = playlistsOf(false)('master.m3u8')
	expect(addSubtitleTracks(master, [])).toBe(master)
	expect(addSubtitleTracks('#EXTM3U\n', [english])).toBe('#EXTM3U\n')
})

test('the subtitles of an audio recording have the same segments as the sound', () => {
	const text = playlistsOf(true)
	expect(addSubtitleTracks(text('master.m3u8'), [german])).toContain('URI="subtitles/de-AT/a0.m3u8"')
	const durations = (playlist: string) => playlist.match(/#EXTINF.*/g)
	const playlist = writeSubtitlePlaylist(text('a0.m3u8'), 'a0')
	expect(durations(playlist)).toEqual(durations(text('a0.m3u8')))
	expect(playlist).not.toContain('#EXT-X-MAP')
	expect(playlist).toMatch(/,\na0\/0\.vtt\n[\s\S]*,\na0\/1\.vtt\n[\s\S]*#EXT-X-ENDLIST\n$/)
})

const PLAYLIST = '#EXTM3U\n#EXTINF:4.004000,\na\n#EXTINF:4.004000,\nb\n#EXTINF:1.5,\nc\n#EXT-X-ENDLIST\n'

test('a subtitle segment has its cues, with a map to the start of the media', () => {
	const file = writeWebVtt([
		{ fromMs: 0, toMs: 4_004, lines: ['only in the first'] },
		{ fromMs: 4_003, toMs: 8_009, lines: ['in all'] },
		{ fromMs: 8_008, toMs: 9_000, lines: ['only in the third'] },
	])
	expect(writeSubtitleSegment(PLAYLIST, readCues(file), 1)).toBe(
		'WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:90000,LOCAL:00:00:00.000\n\n00:00:04.003 --> 00:00:08.009\nin all\n',
	)
	const textsOf = (index: number) =>
		readWebVtt(writeSubtitleSegment(PLAYLIST, readCues(file), index) ?? '').cues.map(({ content }) =>
			content.trim(),
		)
	expect([0, 1, 2].map(textsOf)).toEqual([
		['only in the first', 'in all'],
		['in all'],
		['in all', 'only in the third'],
	])
	expect(writeSubtitleSegment(PLAYLIST, readCues(file), 3)).toBeNull()
	expect(writeSubtitleSegment(PLAYLIST, readCues('WEBVTT\n\n'), 0)).toBe(
		'WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:90000,LOCAL:00:00:00.000\n',
	)
})

test('all subtitle segments together have every cue that begins before the end, unchanged', () => {
	const Cue = fc.record({
		fromMs: fc.nat(9_507),
		length: fc.integer({ min: 1, max: 9_000 }),
		lines: fc.array(
			fc.string({ minLength: 1 }).filter((line) => !/[\n\r]/.test(line) && line.trim() !== ''),
			{
				minLength: 1,
				maxLength: 2,
			},
		),
	})
	fc.assert(
		fc.property(fc.array(Cue, { maxLength: 12 }), (made) => {
			const cues = made
				.map(({ fromMs, length, lines }) => ({ fromMs, toMs: fromMs + length, lines }))
				.toSorted((a, b) => a.fromMs - b.fromMs)
			const file = writeWebVtt(cues)
			const found = new Set<string>()
			for (const index of [0, 1, 2]) {
				const [, ...blocks] = (writeSubtitleSegment(PLAYLIST, readCues(file), index) ?? '').split('\n\n')
				for (const block of blocks) found.add(block.trimEnd())
			}
			const all = new Set(
				file
					.split('\n\n')
					.slice(1)
					.map((block) => block.trimEnd()),
			)
			all.delete('')
			expect(found).toEqual(all)
		}),
		{ numRuns: propertyRuns(200) },
	)
})
