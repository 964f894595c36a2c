import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { Rung, TaskSpecByKind } from '#schema/contract/video/tasks.ts'
import { findEncoderFamily, softwareEncoders } from '../../ffmpeg/encoder-args.ts'
import { readAll, runFfmpeg } from '../../ffmpeg/run.ts'
import { chooseVideoTimescale } from '../../ffmpeg/video-args.ts'
import { describeReason } from '../../log.ts'
import { type MuxedFile, writeMuxedFile } from '../../mp4/muxed-file.ts'
import { appendObjects } from '../append-objects.ts'
import type { RunTask, TaskContext } from '../task.ts'
import { buildClipArgs, computeClipRange, planClipCuts } from './clip-args.ts'
import { SegmentSpan } from './segment-span.ts'

type ClipSpec = TaskSpecByKind<'clip'>
type Inputs = { picture: string | null; sound: string | null; soundSpan: SegmentSpan }

const TIMEOUT_MS = 3_600_000
const FILE = 'clip.mp4'
const POSTER = 'poster.jpg'
const MAX_POSTER_BYTES = 8 * 1024 ** 2
/** Progress once everything is fetched, and once it is encoded; the upload follows. */
const SHARE = { fetched: 0.2, encoded: 0.9 }
const MAX_NOTE = 500

/** Encodes an exact part of a video from its segments, as one MP4 file whose fragments are HLS segments. */
export const runClip: RunTask<'clip'> = async (spec, context) => {
	const startedAt = performance.now()
	const inputs = await fetchInputs(spec, context)
	const { made, poster, rung, notes } = await encodeWithFallback(spec, inputs, context)
	context.progress(SHARE.encoded)
	const file = await context.outputs.putFile(FILE, join(context.workDir, FILE))
	if (poster) await context.outputs.put(POSTER, poster)
	await context.outputs.flush()
	return {
		kind: 'clip',
		file: { name: FILE, ...file },
		poster: poster && { name: POSTER, bytes: poster.length },
		initBytes: made.initBytes,
		timescale: made.tracks[0]?.timescale ?? 1,
		segments: made.segments,
		workSec: (performance.now() - startedAt) / 1_000,
		mediaSec: computeClipRange(spec).durationSec,
		hwAccelUsed: rung !== null && isHardware(rung),
		notes,
	}
}

/** Joins the segments of each track into one file. */
async function fetchInputs({ video, audio }: ClipSpec, context: TaskContext): Promise<Inputs> {
	let fetched = 0
	const soundSpan = new SegmentSpan()
	const fetchAll = async (name: string, urls: readonly string[], take: (bytes: Buffer) => void) => {
		if (urls.length === 0) return null
		const path = join(context.workDir, name)
		await appendObjects(path, urls, context, (bytes) => {
			take(bytes)
			context.progress((SHARE.fetched * ++fetched) / (video.length + audio.length))
		})
		return path
	}
	const picture = await fetchAll('picture.mp4', video, () => {})
	const sound = await fetchAll('sound.mp4', audio, (bytes) => soundSpan.add(bytes))
	return { picture, sound, soundSpan }
}

/** Encodes with the requested encoder; if hardware fails, in software. */
async function encodeWithFallback(spec: ClipSpec, inputs: Inputs, context: TaskContext) {
	if ((spec.rung === null) !== (inputs.picture === null))
		throw new Error('a rung needs video, and video a rung')
	const { rung } = spec
	try {
		return { ...(await encode(spec, inputs, rung, context)), rung }
	} catch (error) {
		context.signal.throwIfAborted()
		const encoder = rung && softwareEncoders[rung.codec]
		if (!rung || !encoder || !isHardware(rung) || !context.proved.encoders.includes(encoder)) throw error
		const reason = describeReason(error)
		context.log.warn('hardware failed; retrying without it', { hardware: rung.encoder, reason })
		const software = { ...rung, encoder }
		const made = await encode(spec, inputs, software, context)
		const note = noteOf(`retried without ${rung.encoder}, which failed: ${reason}`)
		return { ...made, rung: software, notes: [note, ...made.notes] }
	}
}

const noteOf = (text: string): string => text.slice(0, MAX_NOTE)

const isHardware = ({ encoder }: Rung): boolean => findEncoderFamily(encoder) !== 'software'

async function encode(
	spec: ClipSpec,
	inputs: Inputs,
	rung: Rung | null,
	{ programs, proved, threads, workDir, signal, progress }: TaskContext,
): Promise<{ made: MuxedFile; poster: Buffer | null; notes: string[] }> {
	const { picture, sound } = inputs
	const { durationSec } = computeClipRange(spec)
	const layout = { durationSec, cuts: rung && planClipCuts(spec) }
	const encodedShare = ({ outTimeSec }: { outTimeSec: number }) =>
		SHARE.fetched + (SHARE.encoded - SHARE.fetched) * Math.min(1, outTimeSec / durationSec)
	const { value, stderr } = await runFfmpeg(
		{
			programs,
			args: buildClipArgs({ spec, rung, picture, sound, devices: proved.devices, threads }),
			access: { workDir, readable: [picture, sound].filter((path) => path !== null) },
			signal,
			timeoutMs: TIMEOUT_MS,
			pipes: rung ? 2 : 1,
			onProgress: (made) => progress(encodedShare(made)),
		},
		([file, poster]) =>
			Promise.all([
				writeMuxedFile(file as Readable, join(workDir, FILE), layout),
				poster ? readAll(poster, MAX_POSTER_BYTES) : null,
			]),
	)
	const [made, poster] = value
	requireComplete(spec, made, inputs)
	if (poster?.length === 0) throw new Error('ffmpeg made no poster')
	const [warning] = stderr.split('\n')
	return { made, poster, notes: warning ? [noteOf(`continued despite: ${warning}`)] : [] }
}

/** An access unit of AAC lasts 21 ms, and the sound of a video may be one or two shorter than the picture. */
const SOUND_SLACK_SEC = 0.1

/** Checks the file, because ffmpeg can drop frames without failing. */
function requireComplete(spec: ClipSpec, { tracks }: MuxedFile, { sound, soundSpan }: Inputs): void {
	const { frames, fps, rung } = spec
	const { startSec, endSec, durationSec } = computeClipRange(spec)
	const [picture, soundTrack] = rung ? tracks : [undefined, ...tracks]
	const endTicks = (frames * fps.den * chooseVideoTimescale(fps)) / fps.num
	if (rung && (picture?.samples !== frames || picture.start !== 0 || picture.end !== endTicks))
		throw new Error(`the picture does not have ${frames} frames from 0: ${JSON.stringify(picture)}`)
	if (!sound) return
	const isSoundComplete =
		soundTrack !== undefined &&
		soundTrack.start <= 0 &&
		Math.abs(soundTrack.end / soundTrack.timescale - durationSec) <= SOUND_SLACK_SEC
	if (!isSoundComplete)
		throw new Error(`the sound does not have ${durationSec} s: ${JSON.stringify(soundTrack)}`)
	// Missing audio was replaced with silence.
	const { fromSec, toSec } = soundSpan
	if (fromSec > startSec + SOUND_SLACK_SEC || toSec < endSec - SOUND_SLACK_SEC)
		throw new Error(
			`the sound from ${startSec} to ${endSec} s is not in the segments: ${fromSec} to ${toSec} s`,
		)
}
