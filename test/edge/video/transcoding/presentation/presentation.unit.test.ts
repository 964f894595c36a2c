import { expect, test } from 'vitest'
import type { MediaInfo } from '#schema/contract/video/media-info.ts'
import type { RungResult, TaskResultByKind } from '#schema/contract/video/tasks.ts'
import {
	type Presentation,
	writePresentation,
} from '../../../../../edge/video/transcoding/presentation/presentation.ts'
import type { TaskOutput } from '../../../../../edge/video/transcoding/presentation/task-output.ts'
import { parsePlaylist } from '../../../../../scripts/operate/hls-validator/playlist.ts'
import { describeOptions, describeSource } from '../../../../support/shared/described-source.ts'
import { makePerfectOutputs } from './perfect-outputs.ts'

const write = (info: MediaInfo, options = describeOptions()): Presentation => {
	const { plan, outputs } = makePerfectOutputs(info, options)
	const presentation = writePresentation(plan, outputs)
	if (!presentation) throw new Error('nothing to play')
	return presentation
}

const textOf = ({ files }: Presentation, name: string): string => {
	const file = files.find((each) => each.name === name)
	if (!file) throw new Error(`no ${name}`)
	return file.text
}

const linesOf = (presentation: Presentation, start: string) =>
	textOf(presentation, 'master.m3u8')
		.split('\n')
		.filter((line) => line.startsWith(start))

const encoded = describeSource(60, { codec: 'hevc', frameRate: { num: 30_000, den: 1_001 } })

test('the master playlist has measured values', () => {
	const small = describeSource(60, { codec: 'vp9', displayWidth: 640, displayHeight: 360 }, [
		{ language: 'eng' },
	])
	// 360 bytes per frame are 86,400 b/s, 240 are 57,600; the audio adds 128,000.
	expect(textOf(write(small), 'master.m3u8')).toBe(`#EXTM3U
#EXT-X-VERSION:7
#EXT-X-INDEPENDENT-SEGMENTS
#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",NAME="English",LANGUAGE="en",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="2",URI="a0.m3u8"
#EXT-X-STREAM-INF:BANDWIDTH=214400,AVERAGE-BANDWIDTH=214400,CODECS="avc1.640028,mp4a.40.2",RESOLUTION=640x360,FRAME-RATE=30.000,AUDIO="audio"
h264-360p.m3u8
#EXT-X-STREAM-INF:BANDWIDTH=185600,AVERAGE-BANDWIDTH=185600,CODECS="avc1.640028,mp4a.40.2",RESOLUTION=426x240,FRAME-RATE=30.000,AUDIO="audio"
h264-240p.m3u8
#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=7200,AVERAGE-BANDWIDTH=7200,CODECS="avc1.640028",RESOLUTION=640x360,URI="h264-360p-iframes.m3u8"
#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=4800,AVERAGE-BANDWIDTH=4800,CODECS="avc1.640028",RESOLUTION=426x240,URI="h264-240p-iframes.m3u8"
`)
})

test('a media playlist lists the segments of all chunks, one init segment and exact durations', () => {
	const text = textOf(write(encoded), 'h264-720p.m3u8')
	const lines = text.split('\n')
	expect(lines.slice(0, 8)).toEqual([
		'#EXTM3U',
		'#EXT-X-VERSION:7',
		'#EXT-X-TARGETDURATION:4',
		'#EXT-X-MEDIA-SEQUENCE:0',
		'#EXT-X-PLAYLIST-TYPE:VOD',
		'#EXT-X-MAP:URI="tsk_video0-1/h264-720p/init.mp4"',
		'#EXTINF:4.004000,',
		'tsk_video0-1/h264-720p/0.m4s',
	])
	expect(lines.filter((line) => line.endsWith('.m4s')).slice(3, 6)).toEqual([
		'tsk_video0-1/h264-720p/3.m4s',
		'tsk_video1-1/h264-720p/4.m4s',
		'tsk_video1-1/h264-720p/5.m4s',
	])
	expect(lines.slice(-4)).toEqual([
		'#EXTINF:3.937267,',
		'tsk_video5-1/h264-720p/14.m4s',
		'#EXT-X-ENDLIST',
		'',
	])
})

test('an I-frame playlist lists the first bytes of the same segments', () => {
	const lines = textOf(write(encoded), 'h264-720p-iframes.m3u8').split('\n')
	expect(lines).toContain('#EXT-X-I-FRAMES-ONLY')
	expect(lines.slice(7, 10)).toEqual([
		'#EXTINF:4.004000,',
		'#EXT-X-BYTERANGE:7200@0',
		'tsk_video0-1/h264-720p/0.m4s',
	])
})

test('segment durations add up to the duration of the video at any frame rate', () => {
	for (const [num, den] of [
		[24_000, 1_001],
		[30_000, 1_001],
		[60_000, 1_001],
		[25, 1],
		[27, 1],
		[23, 3],
	]) {
		const info = describeSource(20_000, { codec: 'vp9', frameRate: { num: num ?? 1, den: den ?? 1 } })
		const { plan } = makePerfectOutputs(info)
		const playlist = parsePlaylist(textOf(write(info), 'h264-240p.m3u8'))
		if (playlist.kind !== 'media') throw new Error('no media playlist')
		const sum = playlist.segments.reduce((seconds, { duration }) => seconds + duration, 0)
		expect(Math.abs(sum - plan.durationSec)).toBeLessThan(1e-5)
		expect(playlist.problems).toEqual([])
	}
})

test('every playlist passes the strict parser', () => {
	const hard = describeSource(60, { codec: 'vp9' }, [
		{ title: 'A "quoted"\r\n#EXT-X-ENDLIST, name' },
		{ title: ' "' },
		{ language: 'fra' },
	])
	const options = describeOptions({ codecs: ['h264', 'hevc'], encoders: { hevc: 'libx265' } })
	for (const presentation of [
		write(encoded),
		write(hard, options),
		write(describeSource(60, null)),
		write(describeSource(0.3)),
	])
		for (const { name, text, contentType } of presentation.files) {
			if (name.endsWith('.vtt') || name === 'peaks.json') continue
			expect(contentType).toBe('application/vnd.apple.mpegurl')
			expect(parsePlaylist(text).problems).toEqual([])
		}
	expect(linesOf(write(hard), '#EXT-X-MEDIA')[0]).toContain('NAME="A ”quoted” #EXT-X-ENDLIST, name"')
})

test('H.264 is listed before other codecs, and within a codec the variant nearest to 2000 kb/s first', () => {
	const options = describeOptions({ codecs: ['h264', 'av1'], encoders: { av1: 'libsvtav1' } })
	const { plan, outputs } = makePerfectOutputs(encoded, options)
	for (const { result } of outputs)
		if (result.kind === 'video')
			for (const rung of result.rungs) for (const segment of rung.segments) segment.bytes *= 12
	const presentation = writePresentation(plan, outputs)
	const order =
		presentation &&
		textOf(presentation, 'master.m3u8')
			.split('\n')
			.filter((line) => line.endsWith('.m3u8'))
	expect(order).toEqual([
		...['h264-720p.m3u8', 'h264-1080p.m3u8', 'h264-480p.m3u8', 'h264-360p.m3u8', 'h264-240p.m3u8'],
		...['av1-720p.m3u8', 'av1-1080p.m3u8', 'av1-480p.m3u8', 'av1-360p.m3u8'],
	])
})

const threeCodecs = describeOptions({
	codecs: ['h264', 'hevc', 'av1'],
	encoders: { h264: 'libx264', hevc: 'libx265', av1: 'libsvtav1' },
})
const codecOf = ({ result }: TaskOutput) =>
	result.kind === 'video' ? result.rungs[0]?.id.split('-')[0] : undefined

test('each codec has the codec string of its init segments, and its own I-frame playlists', () => {
	const presentation = write(describeSource(60), threeCodecs)
	for (const start of ['#EXT-X-STREAM-INF', '#EXT-X-I-FRAME-STREAM-INF']) {
		const codecNames = linesOf(presentation, start).map((line) => /CODECS="([a-z0-9]+)[^"]*"/.exec(line)?.[1])
		expect(codecNames).toEqual([...Array(5).fill('avc1'), ...Array(4).fill('hvc1'), ...Array(4).fill('av01')])
	}
	expect(presentation.renditions.map(({ quality, codec }) => `${codec} ${quality}`)).toEqual([
		...['h264 1080p', 'h264 720p', 'h264 480p', 'h264 360p', 'h264 240p'],
		...['hevc 1080p', 'hevc 720p', 'hevc 480p', 'hevc 360p'],
		...['av1 1080p', 'av1 720p', 'av1 480p', 'av1 360p'],
	])
})

test('a video is complete with its H.264; another codec is added when all its chunks exist', () => {
	const { plan, outputs } = makePerfectOutputs(describeSource(60), threeCodecs)
	const h264 = outputs.filter((output) => !['hevc', 'av1'].includes(codecOf(output) ?? ''))
	const others = outputs.filter((output) => !h264.includes(output))
	const [lastOfHevc, ...rest] = others.toReversed().filter((output) => codecOf(output) === 'hevc')
	const codecsIn = (some: TaskOutput[]) => {
		const presentation = writePresentation(plan, some)
		return (
			presentation && [presentation.isWhole, ...new Set(presentation.renditions.map(({ codec }) => codec))]
		)
	}
	if (!lastOfHevc) throw new Error('no HEVC')
	expect(codecsIn(h264)).toEqual([true, 'h264'])
	expect(codecsIn([...h264, ...rest])).toEqual([true, 'h264'])
	expect(codecsIn([...h264, ...rest, lastOfHevc])).toEqual([true, 'h264', 'hevc'])
	expect(codecsIn(outputs.toReversed())).toEqual([true, 'h264', 'hevc', 'av1'])
	const sound = outputs.filter(({ result }) => result.kind === 'audio')
	expect(codecsIn([...sound, ...others])).toBeNull()
})

test.each<[string, (rung: RungResult) => void, RegExp]>([
	[
		'a different init segment',
		(rung) => (rung.init = { ...rung.init, sha256: 'b'.repeat(64) }),
		/does not match/,
	],
	['a moved cut', moveCut, /but av1-1080p has 121/],
])('the failure %s leaves out that codec alone', (_, breakRung, problem) => {
	const { plan, outputs } = makePerfectOutputs(describeSource(60), threeCodecs)
	const odd = outputs.find((output) => codecOf(output) === 'av1')?.result
	if (odd?.kind !== 'video' || !odd.rungs[0]) throw new Error('no AV1')
	breakRung(odd.rungs[0])
	const presentation = writePresentation(plan, outputs)
	expect(presentation).toMatchObject({
		isWhole: true,
		unfit: [{ codec: 'av1', problem: expect.stringMatching(problem) }],
	})
	expect(new Set(presentation?.renditions.map(({ codec }) => codec))).toEqual(new Set(['h264', 'hevc']))
})

function moveCut({ segments: [first, second] }: RungResult): void {
	if (first && second) [first.frames, second.frames] = [first.frames + 1, second.frames - 1]
}

test('BANDWIDTH is the peak bit rate of the segments plus the largest audio track', () => {
	const info = describeSource(60, { codec: 'vp9', displayWidth: 320, displayHeight: 240 }, [{}, {}])
	const { plan, outputs } = makePerfectOutputs(info)
	for (const { result } of outputs)
		if (result.kind === 'video' && result.rungs[0]?.segments[1]) result.rungs[0].segments[1].bytes = 500_000
	const presentation = writePresentation(plan, outputs)
	const [variant] = presentation ? linesOf(presentation, '#EXT-X-STREAM-INF') : []
	// 500,000 bytes in 4 s of video, and 65,000 bytes in 4 s of the second track.
	expect(variant).toContain('BANDWIDTH=1130000,')
})

test('tracks of a group have distinct names, and one per language is auto-selected', () => {
	const tracks = [
		{ language: 'eng', isDefault: false },
		{ language: 'eng', isDefault: true },
		{ language: 'deu', isDefault: false },
		{ language: 'deu', isDefault: false },
	]
	const media = linesOf(write(describeSource(60, {}, tracks)), '#EXT-X-MEDIA')
	const shown = media.map((line) =>
		/NAME="([^"]*)",LANGUAGE="(\w+)",DEFAULT=(\w+),AUTOSELECT=(\w+)/.exec(line)?.slice(1),
	)
	expect(shown).toEqual([
		['English', 'en', 'NO', 'NO'],
		['English 2', 'en', 'YES', 'YES'],
		['German', 'de', 'NO', 'YES'],
		['German 2', 'de', 'NO', 'NO'],
	])
})

test('an audio-only source is a variant without video', () => {
	const one = write(describeSource(90, null, [{ language: 'eng' }]))
	expect(textOf(one, 'master.m3u8')).toBe(
		`#EXTM3U
#EXT-X-VERSION:7
#EXT-X-INDEPENDENT-SEGMENTS
#EXT-X-STREAM-INF:BANDWIDTH=256000,AVERAGE-BANDWIDTH=130845,CODECS="mp4a.40.2"
a0.m3u8
`,
	)
	expect(one).toMatchObject({ isWhole: true, renditions: [] })
	expect(one.files.map(({ name }) => name)).toEqual(['a0.m3u8', 'peaks.json', 'master.m3u8'])
	const { peaks } = JSON.parse(one.files[1]?.text ?? '')
	expect([peaks.length, ...new Set(peaks)]).toEqual([400, 255])
	const two = write(describeSource(90, null, [{}, {}]))
	expect(linesOf(two, '#EXT-X-MEDIA')).toHaveLength(2)
	expect(linesOf(two, '#EXT-X-STREAM-INF')[0]).toContain('AUDIO="audio"')
})

test('a silent video has no audio group', () => {
	const presentation = write(describeSource(60, {}, []))
	expect(textOf(presentation, 'master.m3u8')).not.toMatch(/AUDIO|mp4a/)
	expect(presentation.isWhole).toBe(true)
})

test('renditions have measured values', () => {
	expect(write(encoded).renditions[1]).toEqual({
		rungId: 'h264-720p',
		quality: '720p',
		width: 1280,
		height: 720,
		bitrateKbps: 173,
		codec: 'h264',
	})
})

test('audio and video playlists have the same target duration, and no segment exceeds it', () => {
	const keyframes = Array.from({ length: 11 }, (_, k) => k * 174)
	const presentation = write(describeSource(60, { keyframes, longestGopSec: 5.8 }))
	for (const { name, text } of presentation.files)
		if (name !== 'master.m3u8' && name.endsWith('.m3u8')) expect(text).toContain('#EXT-X-TARGETDURATION:6\n')
})

test('early playback gains renditions, and only the master playlist changes', () => {
	const { plan, outputs } = makePerfectOutputs(describeSource(60))
	const outputsOfKinds = (...kinds: string[]) => outputs.filter(({ result }) => kinds.includes(result.kind))
	expect(writePresentation(plan, [])).toBeNull()
	expect(writePresentation(plan, outputsOfKinds('remux'))).toBeNull()
	expect(writePresentation(plan, outputsOfKinds('audio', 'video').slice(0, 3))).toBeNull()
	const early = writePresentation(plan, outputsOfKinds('remux', 'audio'))
	const whole = writePresentation(plan, outputs.toReversed())
	if (!early || !whole) throw new Error('nothing to play')
	expect(early).toMatchObject({ isWhole: false, renditions: [{ quality: '1080p' }] })
	expect(linesOf(early, '#EXT-X-STREAM-INF')).toHaveLength(1)
	expect(whole.isWhole).toBe(true)
	expect(whole.renditions).toHaveLength(5)
	for (const { name, text } of early.files) if (name !== whole.master) expect(textOf(whole, name)).toBe(text)
})

test('a presentation requires every audio track, even if several tasks made them', () => {
	const { plan, outputs } = makePerfectOutputs(
		describeSource(60, {}, [{ language: 'eng' }, { language: 'deu' }]),
	)
	const others = outputs.filter(({ result }) => result.kind !== 'audio')
	const halves = outputs.flatMap((output) =>
		output.result.kind === 'audio'
			? output.result.tracks.map((track, k) => ({
					...output,
					folder: `tsk_audio-${k}`,
					result: { ...(output.result as TaskResultByKind<'audio'>), tracks: [track] },
				}))
			: [],
	)
	expect(halves).toHaveLength(2)
	expect(writePresentation(plan, [...others, ...halves.slice(0, 1)])).toBeNull()
	const presentation = writePresentation(plan, [...others, ...halves])
	const texts = presentation?.files.filter(({ name }) => /^a\d\.m3u8$/.test(name)).map(({ text }) => text)
	expect(texts?.map((text) => /tsk_audio-\d/.exec(text)?.[0])).toEqual(['tsk_audio-0', 'tsk_audio-1'])
})

test('the shot changes that chunks found are listed in seconds of the video', () => {
	const { plan, outputs } = makePerfectOutputs(encoded, describeOptions())
	const withShots = outputs.map((output) =>
		output.result.kind === 'video' && output.result.rungs.some(({ encoder }) => encoder.includes('264'))
			? { ...output, result: { ...output.result, shots: [30, 60] } }
			: output,
	)
	const presentation = writePresentation(plan, withShots)
	const { shots } = JSON.parse(presentation ? textOf(presentation, 'shots.json') : '{}')
	expect(shots.slice(0, 3)).toEqual([1.001, 2.002, 17.017])
	expect(shots).toHaveLength(2 * plan.chunks)
	expect(write(encoded).files.map(({ name }) => name)).not.toContain('shots.json')
	// Otherwise the other chunks would look like one long shot each.
	const at = withShots.findIndex(({ result }) => result.kind === 'video' && 'shots' in result)
	const inPart = outputs.with(at, withShots[at] as (typeof outputs)[number])
	expect(writePresentation(plan, inPart)?.files.map(({ name }) => name)).not.toContain('shots.json')
})

test('the storyboard points to the right tile at each time', () => {
	const cues = textOf(write(encoded), 'storyboard.vtt').split('\n\n')
	expect(cues.slice(0, 3)).toEqual([
		'WEBVTT',
		'00:00:00.000 --> 00:00:01.001\ntsk_video0-1/sheet.jpg#xywh=0,0,256,144',
		'00:00:01.001 --> 00:00:02.002\ntsk_video0-1/sheet.jpg#xywh=256,0,256,144',
	])
	expect(cues[11]).toBe('00:00:10.010 --> 00:00:11.011\ntsk_video0-1/sheet.jpg#xywh=0,144,256,144')
	expect(cues[17]).toBe('00:00:16.016 --> 00:00:17.017\ntsk_video1-1/sheet.jpg#xywh=0,0,256,144')
	expect(cues.at(-1)).toMatch(/^00:00:59\.059 --> 00:00:59\.993\n/)
	const small = describeSource(60, { displayWidth: 320, displayHeight: 240, bitrateKbps: 300 })
	const { plan, outputs } = makePerfectOutputs(small)
	const stills = writePresentation(plan, outputs)
	expect(stills && textOf(stills, 'storyboard.vtt')).toContain('tsk_stills0-1/sheets/1.jpg#xywh=0,0,')
	expect(
		writePresentation(
			plan,
			outputs.filter(({ result }) => result.kind !== 'stills'),
		)?.isWhole,
	).toBe(false)
})
