import { join } from 'node:path'
import type { Readable } from 'node:stream'
import {
	type AudioFile,
	type AudioTrack,
	START_OFFSET_SEC,
	type StoredObject,
	type TaskResultByKind,
	type TaskSpecByKind,
	UNIT_SAMPLES,
} from '#schema/contract/video/tasks.ts'
import {
	buildAudioArgs,
	buildNormalizedArgs,
	countAccessUnits,
	type FileTarget,
	fileExtensions,
	listSegmentedTracks,
} from '../ffmpeg/audio-args.ts'
import { type Loudness, readLoudness } from '../ffmpeg/loudness.ts'
import { runFfmpeg } from '../ffmpeg/run.ts'
import { describeReason } from '../log.ts'
import { isPlainAac } from '../mp4/codecs-string.ts'
import { packSound, type SoundCut, UnevenSoundError } from '../mp4/pack-sound.ts'
import { sumSoundSeconds } from '../run/media-seconds.ts'
import { readPeaks } from './peaks.ts'
import { putStream } from './put-stream.ts'
import { encodingError } from './source-errors.ts'
import { type RunTask, SourceError, type TaskContext } from './task.ts'

type AudioSpec = TaskSpecByKind<'audio'>
type AudioResult = TaskResultByKind<'audio'>

/** A backstop: normally the lease ends a task that takes too long. */
const TIMEOUT_MS = 12 * 3_600_000
/** A shorter last segment is joined to the one before, as for video. */
const MIN_SEGMENT_SEC = 0.5
/** Share of the first of two passes, for normalized files. */
const FIRST_PASS_SHARE = 0.7
const MAX_REASON = 300

/** Makes all audio in one task: separately encoded pieces would not join without gaps. */
export const runAudio: RunTask<'audio'> = async (spec, context) => {
	const started = performance.now()
	const playback = spec.playback && targetOf('playback', spec.playback, context)
	const ai = spec.ai && targetOf('speech', spec.ai, context)
	const files = [playback, ai].filter((target) => target !== null)
	const normalized = files.filter(({ file }) => file.normalize)
	try {
		const plain = files.filter(({ file }) => !file.normalize)
		const { tracks, peaks, loudness, notes } = await makeTracks(spec, context, plain, normalized.length > 0)
		if (normalized.length > 0) await encodeNormalized(spec, context, normalized, loudness)
		const result = {
			tracks,
			playback: playback && (await store(playback, context)),
			ai: ai && (await store(ai, context)),
			...(peaks !== undefined && { peaks }),
		}
		await context.outputs.flush()
		return {
			kind: 'audio',
			...result,
			workSec: (performance.now() - started) / 1_000,
			mediaSec: tracks.length > 0 ? Math.max(...tracks.map(secondsOf)) : sumSoundSeconds(spec),
			hwAccelUsed: false,
			notes: [...notes, ...(normalized.length > 0 && !loudness ? ['too quiet to normalize'] : [])],
		}
	} catch (error) {
		context.signal.throwIfAborted()
		throw encodingError(error)
	}
}

const targetOf = (name: string, file: AudioFile, { workDir }: TaskContext): FileTarget & { name: string } => {
	const fileName = `${name}.${fileExtensions[file.codec]}`
	return { file, name: fileName, path: join(workDir, fileName) }
}

const secondsOf = ({ segments, sampleRate }: AudioResult['tracks'][number]) =>
	segments.reduce((sum, { samples }) => sum + samples, 0) / sampleRate

/** Makes the tracks. Encodes a track instead of copying it if it has gaps or differs from its description. */
async function makeTracks(
	spec: AudioSpec,
	context: TaskContext,
	files: readonly FileTarget[],
	measuresLoudness: boolean,
) {
	try {
		return { ...(await runTracks(spec, context, files, measuresLoudness)), notes: [] }
	} catch (error) {
		context.signal.throwIfAborted()
		if (spec.filesOnly || !spec.tracks.some(({ isCopied }) => isCopied)) throw error
		// Uploads in progress share names with the next attempt.
		await context.outputs.flush()
		const reason = describeReason(error).slice(0, MAX_REASON)
		context.log.warn("can't copy the audio; encoding it", { reason })
		const encoded = { ...spec, tracks: spec.tracks.map((track) => ({ ...track, isCopied: false })) }
		return {
			...(await runTracks(encoded, context, files, measuresLoudness)),
			notes: [`audio was encoded instead of copied: ${reason}`],
		}
	}
}

function runTracks(
	spec: AudioSpec,
	context: TaskContext,
	files: readonly FileTarget[],
	measuresLoudness: boolean,
) {
	const share = measuresLoudness ? FIRST_PASS_SHARE : 1
	const args = buildAudioArgs(spec, requireSource(context), files, measuresLoudness)
	const tracks = listSegmentedTracks(spec)
	const { peaks: peakCount } = spec
	const pipeCount = tracks.length + (peakCount === undefined ? 0 : 1)
	return runAudioFfmpeg(spec, context, args, [0, share], pipeCount, async (pipes) =>
		Promise.all([
			Promise.all(tracks.map((track, index) => putTrack(pipes[index] as Readable, spec, track, context))),
			peakCount === undefined ? undefined : readPeaks(pipes[tracks.length] as Readable, peakCount),
		]),
	).then(({ value: [made, peaks], stderr }) => ({
		tracks: made,
		peaks,
		loudness: measuresLoudness ? readLoudness(stderr) : null,
	}))
}

async function encodeNormalized(
	spec: AudioSpec,
	context: TaskContext,
	files: readonly FileTarget[],
	loudness: Loudness | null,
) {
	const args = buildNormalizedArgs(spec, requireSource(context), files, loudness)
	await runAudioFfmpeg(spec, context, args, [FIRST_PASS_SHARE, 1], 0, async () => {})
}

function requireSource({ sourcePath }: TaskContext): string {
	if (sourcePath === null) throw new Error('audio needs a source')
	return sourcePath
}

function runAudioFfmpeg<T>(
	spec: AudioSpec,
	{ programs, workDir, signal, progress, sourcePath }: TaskContext,
	args: readonly string[],
	[from, to]: readonly [number, number],
	pipes: number,
	read: (pipes: readonly Readable[]) => Promise<T>,
) {
	const durationSec = sumSoundSeconds(spec)
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
		if (track.isCopied && !isPlainAac(init.bytes))
			throw new UnevenSoundError('the audio is not plain stereo AAC')
		return packSound(units, init, cut)
	})
	const segments = stream.segments.map(({ bytes, samples }) => ({ bytes, samples: samples * UNIT_SAMPLES }))
	if (segments.length === 0) throw new SourceError("the audio of this file can't be read")
	return { id, sampleRate, channels, init: stream.init, codecs: stream.codecs, segments }
}

/** Cuts at the video's cuts, each rounded to whole access units, so that rounding errors don't add up. */
const cutFor = (
	{ segment: { num, den }, durationSec }: AudioSpec,
	{ sampleRate, isCopied }: AudioTrack,
): SoundCut => ({
	isCopied,
	start: START_OFFSET_SEC * sampleRate,
	units: durationSec === null ? null : countAccessUnits(durationSec, sampleRate),
	cutAt: (segment) => Math.round((segment * num * sampleRate) / (den * UNIT_SAMPLES)),
	minUnits: Math.ceil((MIN_SEGMENT_SEC * sampleRate) / UNIT_SAMPLES),
})

async function store(
	{ name, path }: { name: string; path: string },
	{ outputs }: TaskContext,
): Promise<StoredObject> {
	return { name, ...(await outputs.putFile(name, path)) }
}
