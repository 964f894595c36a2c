/** @module-tag ffmpeg */

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AudioInfo } from '#schema/contract/video/media-info.ts'
import { type AudioFile, type TaskSpecByKind, UNIT_SAMPLES } from '#schema/contract/video/tasks.ts'
import { runAudio } from '../../../transcoder-daemon/tasks/audio.ts'
import { corpus } from '../../support/shared/corpus.ts'
import type { CorpusItem } from '../../support/shared/corpus-item.ts'
import { examine, joinStream } from '../corpus/encoded.ts'
import { programs, temporaryFolder } from '../ffmpeg/programs.ts'
import { MemoryOutputs, taskContext } from './task-context.ts'
import { decodeSound, RATE, tonesIn } from './tones.ts'

type AudioSpec = TaskSpecByKind<'audio'>

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeAll(async () => {
	folder = await temporaryFolder()
})
afterAll(() => folder[Symbol.asyncDispose]())

const playback: AudioFile = {
	codec: 'aac',
	bitrateKbps: 128,
	sampleRate: 48_000,
	channels: 2,
	normalize: false,
}
const speech: AudioFile = {
	codec: 'flac',
	bitrateKbps: null,
	sampleRate: 16_000,
	channels: 1,
	normalize: false,
}

const audioSpec = (audio: readonly AudioInfo[], more: Partial<AudioSpec> = {}): AudioSpec => ({
	kind: 'audio',
	tracks: audio.map((source, index) => ({
		id: `a${index}`,
		source,
		bitrateKbps: 128,
		sampleRate: RATE,
		channels: 2,
		isCopied: false,
	})),
	segment: { num: 1_001, den: 1_000 },
	durationSec: null,
	playback,
	ai: speech,
	filesOnly: false,
	...more,
})

const copied = (spec: AudioSpec): AudioSpec => ({
	...spec,
	tracks: spec.tracks.map((track) => ({
		...track,
		source: { ...track.source, bitrateKbps: 128 },
		isCopied: true,
	})),
})

function named(name: string): CorpusItem {
	const item = corpus.find((each) => each.name === name)
	if (!item) throw new Error(`the corpus has no item ${name}`)
	return item
}

async function make(item: CorpusItem): Promise<string> {
	const path = join(folder.path, item.file)
	await item.make(programs.ffmpeg, path)
	return path
}

const decode = (path: string, channels: number, rate?: number) =>
	decodeSound(path, folder.path, channels, rate)

async function run(spec: AudioSpec, path: string, workFolder = '.') {
	await using dir = await temporaryFolder()
	const workDir = { path: join(dir.path, workFolder) }
	await mkdir(workDir.path, { recursive: true })
	const outputs = new MemoryOutputs()
	const progress: number[] = []
	const context = taskContext(path, workDir.path, { outputs, progress: (share) => progress.push(share) })
	const result = await runAudio(spec, context)
	const files = await Promise.all(
		result.tracks.map(({ id, segments }) => joinStream(outputs, id, segments.length, folder.path)),
	)
	return { result, files, outputs, progress }
}

const firstTime = async (path: string) => {
	const { stderr } = await examine(
		['-loglevel', 'info', '-copyts', '-i', path, '-af', 'ashowinfo', '-frames:a', '1', '-f', 'null', '-'],
		folder.path,
	)
	return Number(/pts_time:([\d.]+)/.exec(stderr)?.[1])
}

/** Half an AAC access unit: the largest allowed difference between the ends of audio and video. */
const HALF_UNIT = 512 / RATE
const CLOSE = 1 / 60

/** One example of each difficulty; npm run prove -- corpus covers the whole corpus. */
const short = ['pal-25', 'late-sound', 'start-not-zero', 'surround', 'matroska', 'webm-vp9', 'avi']
const items = corpus.filter(
	({ name, video, audio }) =>
		video &&
		audio.length > 0 &&
		name !== 'edit-list' &&
		(process.env.CORPUS === 'all' || short.includes(name)),
)

test.concurrent.each(items)(
	'the audio task keeps $name in sync with its video, from the first tone to the last',
	async (item) => {
		const { result, files } = await run(
			audioSpec(item.audio, { durationSec: item.seconds }),
			await make(item),
		)
		const [track] = result.tracks
		const [file = ''] = files
		const total = track?.segments.reduce((sum, { samples }) => sum + samples, 0) ?? 0
		expect(Math.abs(total / RATE - item.seconds)).toBeLessThanOrEqual(HALF_UNIT)
		expect(await firstTime(file)).toBe(1)

		const samples = await decode(file, 1)
		expect(samples).toHaveLength(total)
		const late = item.audio[0]?.startSec ?? 0
		const expected = Array.from({ length: item.seconds }, (_, second) => second).filter(
			(second) => second >= late,
		)
		const tones = tonesIn(samples)
		expect(tones).toHaveLength(expected.length)
		const { num, den } = item.video?.frameRate ?? { num: 60, den: 1 }
		for (const [index, tone] of tones.entries())
			expect(Math.abs(tone - (expected[index] ?? 0)), `tone ${index}`).toBeLessThan(den / num)
	},
)

test("the audio task cuts segments at the video's cuts without accumulating rounding errors", async () => {
	const item = named('long-gop')
	const segment = { num: 1_001, den: 1_000 }
	const { result } = await run(
		audioSpec(item.audio, { durationSec: item.seconds, segment }),
		await make(item),
	)
	const [track] = result.tracks
	expect(track).toMatchObject({ id: 'a0', codecs: 'mp4a.40.2', sampleRate: RATE, channels: 2 })
	let samples = 0
	for (const [index, each] of (track?.segments ?? []).entries()) {
		expect(Math.abs(samples / RATE - (index * segment.num) / segment.den)).toBeLessThanOrEqual(HALF_UNIT)
		samples += each.samples
	}
	expect(track?.segments).toHaveLength(8)
})

test('the audio task joins a last segment that is too short to the one before', async () => {
	const item = named('pal-25')
	const segment = { num: 46, den: 10 }
	const { result } = await run(
		audioSpec(item.audio, { durationSec: item.seconds, segment }),
		await make(item),
	)
	expect(result.tracks[0]?.segments).toHaveLength(1)
})

test('the audio task encodes several tracks in one run', async () => {
	const item = named('many-tracks')
	const { result, files } = await run(audioSpec(item.audio, { durationSec: 5 }), await make(item))
	expect(result.tracks.map(({ id }) => id)).toEqual(['a0', 'a1', 'a2'])
	for (const file of files) expect(tonesIn(await decode(file, 1))).toHaveLength(5)
	const lengths = result.tracks.map(({ segments }) => segments.map(({ samples }) => samples))
	expect(lengths[1]).toEqual(lengths[0])
	expect(lengths[2]).toEqual(lengths[0])
})

test('the audio task keeps the length of audio without video', async () => {
	const item = named('audio-only')
	const { result, files, progress } = await run(audioSpec(item.audio), await make(item))
	expect(Math.abs(result.mediaSec - 5)).toBeLessThan(0.03)
	expect(tonesIn(await decode(files[0] ?? '', 1))).toHaveLength(5)
	expect(progress.at(-1)).toBeGreaterThan(0.9)
	expect(progress).toEqual(progress.toSorted((a, b) => a - b))
})

test('the audio task copies one channel to both sides at full volume, and six without clipping', async () => {
	for (const [name, minPeak] of [
		['mono', 0.48],
		['surround', 0.3],
	] as const) {
		const item = named(name)
		const { files } = await run(audioSpec(item.audio, { durationSec: 5 }), await make(item))
		const samples = await decode(files[0] ?? '', 2)
		const peak = (side: number) =>
			samples.reduce(
				(peak, sample, index) => (index % 2 === side ? Math.max(peak, Math.abs(sample)) : peak),
				0,
			)
		for (const side of [0, 1]) {
			expect(peak(side)).toBeGreaterThan(minPeak)
			expect(peak(side)).toBeLessThan(1)
		}
	}
})

test('the audio task makes no file when only tracks are requested', async () => {
	const item = named('many-tracks')
	const { result, outputs } = await run(audioSpec(item.audio, { playback: null, ai: null }), await make(item))
	expect([result.tracks.length, result.playback, result.ai]).toEqual([3, null, null])
	expect([...outputs.stored.keys()].filter((name) => !name.includes('/'))).toEqual([])
})

test('the audio task makes files for playback and speech recognition in the same run', async () => {
	const item = named('late-sound')
	const { result, outputs } = await run(audioSpec(item.audio, { durationSec: 5 }), await make(item))
	expect(result.playback).toEqual({ name: 'playback.m4a', bytes: outputs.stored.get('playback.m4a')?.length })
	expect(result.ai).toEqual({ name: 'speech.flac', bytes: outputs.stored.get('speech.flac')?.length })
	for (const name of ['playback.m4a', 'speech.flac']) {
		const path = join(folder.path, `late-${name}`)
		await writeFile(path, outputs.stored.get(name) ?? '')
		const tones = tonesIn(await decode(path, 1, 16_000), 16_000)
		expect(tones).toHaveLength(4)
		for (const [index, tone] of tones.entries()) expect(Math.abs(tone - (index + 1))).toBeLessThan(CLOSE)
	}
})

/** Returns a checksum of each access unit in a file. */
async function unitsIn(path: string): Promise<string[]> {
	const { stdout } = await execa(programs.ffmpeg, [
		...[
			'-loglevel',
			'error',
			...(path.endsWith('.mkv') ? [] : ['-ignore_editlist', '1']),
			'-i',
			path,
			'-map',
			'0:a',
			'-c',
			'copy',
			'-f',
			'framemd5',
			'-',
		],
	])
	return stdout
		.split('\n')
		.flatMap((line) => (/^\d/.test(line) ? [line.split(',').at(-1)?.trim() ?? ''] : []))
}

test.each([
	['shares the encoder of a track with the same settings', 128, true],
	['uses its own encoder for other settings', 96, false],
])('the audio task makes a playback file that %s', async (_, bitrateKbps, isSame) => {
	const item = named('late-sound')
	const spec = audioSpec(item.audio, { durationSec: 5, playback: { ...playback, bitrateKbps } })
	const { files, outputs } = await run(spec, await make(item), "it's [one|other] \\ folder")
	const path = join(folder.path, `playback-${bitrateKbps}.m4a`)
	await writeFile(path, outputs.stored.get('playback.m4a') ?? '')
	const [streamed, filed] = [await unitsIn(files[0] ?? ''), await unitsIn(path)]
	expect(streamed.length).toBeGreaterThan(230)
	// Only the file contains the encoder's priming.
	expect(filed.slice(-streamed.length).every((unit, index) => unit === streamed[index])).toBe(isSame)
	const bytes = outputs.stored.get('playback.m4a') ?? Buffer.alloc(0)
	expect(bytes.indexOf('moov')).toBeLessThan(bytes.indexOf('mdat'))
	expect(bytes.toString('latin1', 8, 12)).toBe('M4A ')
})

const tonesOf = async (path: string) => tonesIn(await decode(path, 1))

test.each([
	['pal-25', 'an MP4 whose encoder priming is a unit', 4],
	['edit-list', 'an MP4 whose edit list skips its beginning', 4],
	['milliseconds', 'Matroska, which counts in milliseconds', 4],
])('the audio task copies plain AAC unchanged: %s, %s', async (name, _, minTones) => {
	const item = named(name === 'milliseconds' ? 'pal-25' : name)
	const path = name === 'milliseconds' ? join(folder.path, `${name}.mkv`) : await make(item)
	if (name === 'milliseconds') await examine(['-i', await make(item), '-c', 'copy', '-y', path], folder.path)
	const durationSec = item.video?.durationSec ?? item.seconds
	const spec = copied(audioSpec(item.audio, { durationSec, ai: null }))
	const { result, files, outputs } = await run(spec, path)
	expect(result.notes).toEqual([])
	const [track] = result.tracks
	const total = track?.segments.reduce((sum, { samples }) => sum + samples, 0) ?? 0
	expect(Math.abs(total / RATE - durationSec)).toBeLessThanOrEqual(3 * HALF_UNIT)
	const [file = ''] = files
	const [before, is] = [await unitsIn(path), await unitsIn(file)]
	expect(before.join()).toContain(is.join())
	expect(is).toHaveLength(total / UNIT_SAMPLES)
	const tones = await tonesOf(file)
	expect(tones.length).toBeGreaterThanOrEqual(minTones)
	const expected = await tonesOf(path)
	for (const [index, tone] of tones.entries())
		expect(Math.abs(tone - (expected[index] ?? 0)), `tone ${index}`).toBeLessThan(HALF_UNIT + 0.005)

	const playbackFile = join(folder.path, `${name}-playback.m4a`)
	await writeFile(playbackFile, outputs.stored.get('playback.m4a') ?? '')
	expect((await unitsIn(playbackFile)).join()).toContain(is.join())
	expect(await tonesOf(playbackFile)).toHaveLength(tones.length)
})

test('a separate audio task makes the files that are not copies of a copied track', async () => {
	const item = named('pal-25')
	const spec = copied(audioSpec(item.audio, { durationSec: item.seconds, filesOnly: true }))
	const { result, outputs } = await run(spec, await make(item))
	expect([...outputs.stored.keys()].toSorted()).toEqual(['playback.m4a', 'speech.flac'])
	expect(result).toMatchObject({ tracks: [], mediaSec: item.seconds, playback: { name: 'playback.m4a' } })
	const path = join(folder.path, 'alone-speech.flac')
	await writeFile(path, outputs.stored.get('speech.flac') ?? '')
	expect(tonesIn(await decode(path, 1, 16_000), 16_000)).toHaveLength(item.seconds)
})

test.each<[label: string, make: readonly string[], reason: RegExp]>([
	['a gap', ['-af', "asetpts='PTS+if(gt(T,2.5),0.7,0)/TB'", '-c:a', 'aac'], /is not continuous/],
	['an end before the end of the video', ['-t', '3', '-c:a', 'aac'], /of 2\d\d audio units/],
	['six channels', ['-ac', '6', '-c:a', 'aac'], /not plain stereo AAC/],
	['another codec', ['-c:a', 'ac3'], /box/],
])('the audio task encodes a track that cannot be copied: %s', async (label, args, reason) => {
	const item = named('audio-only')
	const path = join(folder.path, `uneven-${label.split(' ').join('-')}.mp4`)
	await examine(['-i', await make(item), ...args, '-y', path], folder.path)
	const spec = copied(audioSpec(item.audio, { durationSec: item.seconds }))
	const { result, files, outputs } = await run(spec, path)
	expect(result.notes[0]).toMatch(/^audio was encoded instead of copied: /)
	expect(result.notes[0]).toMatch(reason)
	const total = result.tracks[0]?.segments.reduce((sum, { samples }) => sum + samples, 0) ?? 0
	expect(Math.abs(total / RATE - item.seconds)).toBeLessThanOrEqual(HALF_UNIT)
	expect((await tonesOf(files[0] ?? '')).length).toBeGreaterThanOrEqual(3)
	expect(outputs.stored.get('a0/init.mp4')).toHaveLength(result.tracks[0]?.init.bytes ?? 0)
})

test('the audio task normalizes a quiet recording, only where requested', async () => {
	const item = named('audio-only')
	const quiet = join(folder.path, 'quiet.m4a')
	await examine(['-f', 'lavfi', '-i', 'anoisesrc=d=6:c=pink:a=0.02', '-c:a', 'aac', '-y', quiet], folder.path)
	const spec = audioSpec(item.audio, {
		playback: { ...playback, codec: 'opus', normalize: true },
		ai: { ...speech, codec: 'opus', bitrateKbps: 32 },
	})
	const { result, outputs } = await run(spec, quiet)
	expect(result.notes).toEqual([])
	const loudness = async (name: string) => {
		const made = join(folder.path, name)
		await writeFile(made, outputs.stored.get(name) ?? '')
		const { stderr } = await examine(
			['-loglevel', 'info', '-i', made, '-af', 'ebur128', '-f', 'null', '-'],
			folder.path,
		)
		return Number(/Integrated loudness:\s+I:\s+(-?[\d.]+)/.exec(stderr)?.[1])
	}
	expect(await loudness('playback.opus')).toBeGreaterThan(-17)
	expect(await loudness('playback.opus')).toBeLessThan(-15)
	expect(await loudness('speech.opus')).toBeLessThan(-30)

	const silence = join(folder.path, 'silence.m4a')
	await examine(['-f', 'lavfi', '-i', 'anullsrc=d=3', '-t', '3', '-c:a', 'aac', '-y', silence], folder.path)
	expect((await run(spec, silence)).result.notes).toEqual(['too quiet to normalize'])
})

test('the audio task reports a missing track as a source error', async () => {
	const item = named('silent')
	const spec = audioSpec(named('pal-25').audio)
	await expect(run(spec, await make(item))).rejects.toMatchObject({ name: 'SourceError' })
})

test.each([
	['encodes', (spec: AudioSpec) => spec],
	['copies', copied],
	['only makes files of', (spec: AudioSpec) => ({ ...copied(spec), filesOnly: true })],
])('an audio task that %s a track measures its peaks', async (_, change) => {
	const path = join(folder.path, 'steps.m4a')
	// A loud second, a silent one, and one at half of the volume.
	await execa(programs.ffmpeg, [
		...['-y', '-f', 'lavfi', '-i', `sine=frequency=440:sample_rate=${RATE}:duration=3`],
		...[
			'-af',
			"volume='if(lt(t,1),1,if(lt(t,2),0,0.5))':eval=frame",
			'-ac',
			'2',
			'-c:a',
			'aac',
			'-b:a',
			'128k',
			path,
		],
	])
	const source: AudioInfo = {
		...(named('pal-25').audio[0] as AudioInfo),
		streamIndex: 0,
		channels: 2,
		startSec: 0,
		durationSec: 3,
	}
	const { result } = await run({ ...change(audioSpec([source])), peaks: 30 }, path)
	const peaks = [...Buffer.from(result.peaks ?? '', 'base64')]
	expect(peaks).toHaveLength(30)
	const second = (number: number) => peaks.slice(number * 10 + 2, number * 10 + 8)
	for (const peak of second(0)) expect(peak).toBeGreaterThan(230)
	for (const peak of second(1)) expect(peak).toBeLessThan(10)
	for (const peak of second(2)) expect(Math.abs(peak - 128)).toBeLessThan(15)
	expect((await run(change(audioSpec([source])), path)).result.peaks).toBeUndefined()
})
