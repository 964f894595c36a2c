import { LARGEST_PICTURE, MAX_PIXELS } from '#schema/contract/video/media-info.ts'
import { MAX_STREAMS } from '../ffmpeg/input.ts'
import type { Probed, ProbedStream } from '../ffmpeg/probe.ts'
import { ProgramError, ProgramTimeoutError } from '../ffmpeg/run.ts'
import { TooManyFramesError } from '../ffmpeg/timeline.ts'
import { EndedEarlyError } from '../mp4/cut-segments.ts'
import { describeUndecodable } from './inspection/undecodable.ts'
import { SourceError } from './task.ts'

export const ENDS_EARLY = 'the file is incomplete; upload it again'
export const NO_TRACKS = 'this file contains neither video nor audio'
const UNREADABLE = 'this file is not a readable video:'
const DAMAGED = `${UNREADABLE} it is damaged or has another format`

/** Explains ffmpeg's messages to the owner. The first match wins. */
const explanations: readonly [pattern: RegExp, explanation: string][] = [
	[/partial file|file ended prematurely|moov atom not found/i, ENDS_EARLY],
	[/not on whitelist/i, `${UNREADABLE} its format is not supported`],
	[/exceeds specified max pixel count/i, `the picture is too large: ${LARGEST_PICTURE} is the limit`],
	[/object type \D{0,20}42 is not/i, describeUndecodable('audio', 'xHE-AAC')],
	[/Update your FFmpeg version/i, `${UNREADABLE} it uses a feature that this installation can't decode`],
	[/exceeds max_streams/i, `this file has more than ${MAX_STREAMS} tracks`],
	[/cannot allocate memory|out of memory/i, `${UNREADABLE} it needs more memory than any machine has`],
]

const MACHINE_FAULT =
	/no such file|permission denied|input\/output error|no space left|resource temporarily|too many open files/i

export const isTruncationMessage = (stderr: string): boolean =>
	/partial file|file ended prematurely/i.test(stderr)

/**
 * Returns a SourceError if the source caused an inspection to fail; otherwise the error itself, which is retried,
 * because the machine may be the cause of a killed or timed-out program.
 */
export function inspectionError(error: unknown): unknown {
	if (error instanceof TooManyFramesError) return new SourceError('this video has too many frames')
	if (!(error instanceof ProgramError) || error instanceof ProgramTimeoutError) return error
	return isProgramFailure(error) ? explainedSourceError(error) : error
}

/** Whether a program failed for a reason other than missing disk space, files or permissions on this machine. */
export const isProgramFailure = ({ message, stderr }: ProgramError): boolean =>
	/ended with status/.test(message) && !MACHINE_FAULT.test(stderr)

/** Messages about files that no machine can read. */
const UNREADABLE_FILE =
	/Invalid data found when processing input|moov atom not found|does not contain any stream|matches no streams|could not find codec parameters|Format \S{1,100} not on whitelist/i

/**
 * Returns a SourceError if the source caused an encode to fail; otherwise the error itself. Only certain messages
 * prove that, because encoders and graphics cards fail for other reasons, too.
 */
export function encodingError(error: unknown): unknown {
	if (error instanceof EndedEarlyError) return truncatedError(error.frames, error.message)
	return error instanceof ProgramError && UNREADABLE_FILE.test(error.stderr)
		? explainedSourceError(error)
		: error
}

const explainedSourceError = ({ stderr }: ProgramError): SourceError =>
	new SourceError(
		explanations.find(([pattern]) => pattern.test(stderr))?.[1] ?? DAMAGED,
		stderr.slice(-4_000),
	)

export const truncatedError = (frames: number, detail: string): SourceError =>
	new SourceError(
		`the video ends too early, after ${frames} frames of this part; the file may be incomplete or damaged`,
		detail,
	)

/** Below this score, ffmpeg is guessing, and may detect a container in noise. */
const MIN_PROBE_SCORE = 25

export function rejectContainer({ format, streams }: Probed): void {
	if (format.probe_score < MIN_PROBE_SCORE) throw new SourceError(DAMAGED)
	// Demuxers that find tracks while reading don't enforce the limit.
	if (streams.length > MAX_STREAMS) throw new SourceError(`this file has more than ${MAX_STREAMS} tracks`)
}

/** Whether `rejectVideo` accepts the track. */
export const isReadable = (stream: ProbedStream): boolean => {
	const pixels = stream.width * stream.height
	return !stream.isUndecodable && pixels > 0 && pixels <= MAX_PIXELS && Boolean(stream.pix_fmt)
}

export function rejectVideo(stream: ProbedStream): void {
	const { width, height, pix_fmt } = stream
	if (width * height > MAX_PIXELS)
		throw new SourceError(`the picture is too large: ${width} × ${height}; ${LARGEST_PICTURE} is the limit`)
	if (width * height === 0 || !pix_fmt)
		throw new SourceError("the video in this file can't be read: it is damaged or encrypted")
}

/** Containers with a duration in their header, whose truncation no other check finds. */
const RECORDS_LENGTH = /^(flv|flac)$/
const MISSING_SEC = 0.5

export function rejectLength(durationSec: number, { format }: Probed, maxDurationSec: number): void {
	if (!(durationSec > 0)) throw new SourceError('the media in this file has no duration; export it again')
	if (durationSec > maxDurationSec)
		throw new SourceError(
			`this video is ${minutes(durationSec)} minutes long; the limit is ${minutes(maxDurationSec)}`,
		)
	if (RECORDS_LENGTH.test(format.format_name) && (format.duration ?? 0) - durationSec > MISSING_SEC)
		throw new SourceError(ENDS_EARLY)
}

/** Packets are parts of the file; some containers pad or trim them slightly. */
const MAX_GROWTH = 2
const FREE_GROWTH_BYTES = 64 * 1024 ** 2

/**
 * Rejects files that expand. Matroska can compress packets a thousandfold, and a sample table can list the same bytes
 * repeatedly, so that a few megabytes take hours to read. `bytes` counts all packets so far.
 */
export function rejectGrowth(bytes: number, fileBytes: number): void {
	if (bytes > MAX_GROWTH * fileBytes + FREE_GROWTH_BYTES)
		throw new SourceError('this file expands to far more data than its size allows')
}

const minutes = (seconds: number): string => (seconds / 60).toFixed(seconds < 600 ? 1 : 0)
