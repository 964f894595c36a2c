import { join } from 'node:path'
import type { Readable } from 'node:stream'
import {
	type AudioFile,
	type AudioTrack,
	START_OFFSET_SEC,
	type StoredObject,
	type TaskResultOf,
	type TaskSpecOf,
	UNIT_SAMPLES,
} from '#schema/contract/tasks.ts'
import {
	audioArgs,
	type FileTarget,
	fileExtensions,
	normalizedArgs,
	segmentedTracks,
	unitsOf,
} from '../ffmpeg/audio-args.ts'
import { isPlainAac } from '../ffmpeg/codecs-string.ts'
import { type Loudness, readLoudness } from '../ffmpeg/loudness.ts'
import { packSound, type SoundCut, UnevenSoundError } from '../ffmpeg/pack-sound.ts'
import { runFfmpeg } from '../ffmpeg/run.ts'
import { reasonOf } from '../log.ts'
import { soundSecondsOf } from '../media-seconds.ts'
import { putStream } from './put-stream.ts'
import { blameSource } from './refusals.ts'
import { type RunTask, SourceError, type TaskContext } from './task.ts'

type AudioSpec = TaskSpecOf<'audio'>
type AudioResult = TaskResultOf<'audio'>

/** The lease ends what takes too long; this ends what nobody waits for any more. */
const TIMEOUT_MS = 12 * 3_600_000
/** As with pictures: what is shorter is part of the segment before. */
const LEAST_SEGMENT_SEC = 0.5
/** Of the work, when some of the sound must be gone through twice. */
const FIRST_PASS_SHARE = 0.7
const MAX_REASON = 300

/** All sound, whole: encoded in pieces it would not fit together. */
export const runAudio: RunTask<'audio'> = async (spec, context) => {
	const started = performance.now()
	const playback = spec.playback && targetOf('playback', spec.playback, context)
	const ai = spec.ai && targetOf('speech', spec.ai, context)
	const files = [playback, ai].filter((target) => target !== null)
	const normalized = files.filter(({ file }) => file.normalize)
	try {
		const plain = files.filter(({ file }) => !file.normalize)
		const { tracks, loudness, notes } = await makeTracks(spec, context, plain, normalized.length > 0)
		if (normalized.length > 0) await encodeNormalized(spec, context, normalized, loudness)
		const result = {
			tracks,
			playback: playback && (await store(playback, context)),
			ai: ai && (await store(ai, context)),
		}
		await context.outputs.settled()
		return {
			kind: 'audio',
			...result,
			workSec: (performance.now() - started) / 1_000,
			mediaSec: tracks.length > 0 ? Math.max(...tracks.map(secondsOf)) : soundSecondsOf(spec),
			hwAccelUsed: false,
			notes: [
				...notes,
				...(normalized.length > 0 && !loudness ? ['too quiet to be made as loud as others'] : []),
			],
		}
	} catch (error) {
		context.signal.throwIfAborted()
		throw blameSource(error)
	}
}

const targetOf = (name: string, file: AudioFile, { workDir }: TaskContext): FileTarget & { name: string } => {
	const fileName = `${name}.${fileExtensions[file.codec]}`
	return { file, name: fileName, path: join(workDir, fileName) }
}

const secondsOf = ({ segments, sampleRate }: AudioResult['tracks'][number]) =>
	segments.reduce((sum, { samples }) => sum + samples, 0) / sampleRate

/** Copied where that was asked for; encoded where the source turns out to have gaps, or to be what it did not say. */
async function makeTracks(
	spec: AudioSpec,
	context: TaskContext,
	files: readonly FileTarget[],
	measures: boolean,
) {
	try {
		return { ...(await runTracks(spec, context, files, measures)), notes: [] }
	} catch (error) {
		context.signal.throwIfAborted()
		if (spec.filesOnly || !spec.tracks.some(({ isCopied }) => isCopied)) throw error
		// What is on its way still has the names of what is made now.
		await context.outputs.settled()
		const reason = reasonOf(error).slice(0, MAX_REASON)
		context.log.warn('sound can not be copied; it is encoded', { reason })
		const encoded = { ...spec, tracks: spec.tracks.map((track) => ({ ...track, isCopied: false })) }
		return {
			...(await runTracks(encoded, context, files, measures)),
			notes: [`sound was not copied: ${reason}`],
		}
	}
}

function runTracks(spec: AudioSpec, context: TaskContext, files: readonly FileTarget[], measures: boolean) {
	const share = measures ? FIRST_PASS_SHARE : 1
	const args = audioArgs(spec, requireSource(context), files, measures)
	const tracks = segmentedTracks(spec)
	return runSound(spec, context, args, [0, share], tracks.length, async (pipes) =>
		Promise.all(tracks.map((track, index) => putTrack(pipes[index] as Readable, spec, track, context))),
	).then(({ value, stderr }) => ({ tracks: value, loudness: measures ? readLoudness(stderr) : null }))
}

async function encodeNormalized(
	spec: AudioSpec,
	context: TaskContext,
	files: readonly FileTarget[],
	loudness: Loudness | null,
) {
	const args = normalizedArgs(spec, requireSource(context), files, loudness)
	await runSound(spec, context, args, [FIRST_PASS_SHARE, 1], 0, async () => {})
}

function requireSource({ sourcePath }: TaskContext): string {
	if (sourcePath === null) throw new Error('sound is made from a source')
	return sourcePath
}

function runSound<T>(
	spec: AudioSpec,
	{ programs, workDir, signal, progress, sourcePath }: TaskContext,
	args: readonly string[],
	[from, to]: readonly [number, number],
	pipes: number,
	read: (pipes: readonly Readable[]) => Promise<T>,
) {
	const durationSec = soundSecondsOf(spec)
	return runFfmpeg(
		{
			programs,
			args,
			access: { workDir, readable: sourcePath ? [sourcePath] : [] },
			signal,
			timeoutMs: TIMEOUT_MS,
			pipes,
			onProgress: ({ outTimeSec }) => progress(from + (to - from) * Math.min(1, outTimeSec / durationSec)),
		},
		read,
	)
}

async function putTrack(
	pipe: Readable,
	spec: AudioSpec,
	track: AudioTrack,
	{ outputs }: TaskContext,
): Promise<AudioResult['tracks'][number]> {
	const { id, sampleRate, channels } = track
	const cut = cutFor(spec, track)
	const stream = await putStream(pipe, outputs, { id, firstSegment: 0 }, (units, init) => {
		if (track.isCopied && !isPlainAac(init.bytes)) throw new UnevenSoundError('it is no plain AAC in stereo')
		return packSound(units, init, cut)
	})
	const segments = stream.segments.map(({ bytes, samples }) => ({ bytes, samples: samples * UNIT_SAMPLES }))
	if (segments.length === 0) throw new SourceError('The sound of the file can not be read.')
	return { id, sampleRate, channels, init: stream.init, codecs: stream.codecs, segments }
}

/** Each cut where the pictures have theirs, as near as whole access units come to it: so nothing adds up. */
const cutFor = (
	{ segment: { num, den }, durationSec }: AudioSpec,
	{ sampleRate, isCopied }: AudioTrack,
): SoundCut => ({
	isCopied,
	start: START_OFFSET_SEC * sampleRate,
	units: durationSec === null ? null : unitsOf(durationSec, sampleRate),
	cutAt: (segment) => Math.round((segment * num * sampleRate) / (den * UNIT_SAMPLES)),
	leastUnits: Math.ceil((LEAST_SEGMENT_SEC * sampleRate) / UNIT_SAMPLES),
})

async function store(
	{ name, path }: { name: string; path: string },
	{ outputs }: TaskContext,
): Promise<StoredObject> {
	return { name, ...(await outputs.putFile(name, path)) }
}
