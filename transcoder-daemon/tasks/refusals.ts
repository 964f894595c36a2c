import { LARGEST_PICTURE, MAX_PIXELS } from '#schema/contract/media-info.ts'
import { EndedEarlyError } from '../ffmpeg/cut-segments.ts'
import { MAX_STREAMS } from '../ffmpeg/input.ts'
import type { Probed, ProbedStream } from '../ffmpeg/probe.ts'
import { ProgramError, ProgramTimeoutError } from '../ffmpeg/run.ts'
import { TooManyFramesError } from '../ffmpeg/timeline.ts'
import { SourceError } from './task.ts'

export const ENDS_EARLY = 'The file ends before the video does: upload it again.'
export const SILENT_AND_BLIND = 'There is neither picture nor sound in this file.'
const UNREADABLE = 'This file is not a video we can read:'
const SOMETHING_ELSE = `${UNREADABLE} it is damaged, or something else.`

/** What ffmpeg says of a source, and what its owner can make use of. The first that fits. */
const meanings: readonly [said: RegExp, meaning: string][] = [
	[/partial file|file ended prematurely|moov atom not found/i, ENDS_EARLY],
	[/not on whitelist/i, `${UNREADABLE} it is of a kind that is not taken.`],
	[/exceeds specified max pixel count/i, `The picture is too large: ${LARGEST_PICTURE} is the limit.`],
	[/exceeds max_streams/i, `This file has more than ${MAX_STREAMS} tracks.`],
	[/cannot allocate memory|out of memory/i, `${UNREADABLE} it claims to hold more than any machine can.`],
]

const MACHINES_FAULT =
	/no such file|permission denied|input\/output error|no space left|resource temporarily|too many open files/i

export const wasCutOff = (said: string): boolean => /partial file|file ended prematurely/i.test(said)

/**
 * A program that ended by itself over a source did so because of it, and would do so everywhere. What was killed, or
 * took too long, may have met a machine in trouble: that is tried again.
 */
export function refusalOf(error: unknown): unknown {
	if (error instanceof TooManyFramesError)
		return new SourceError('This video has more frames than are taken.')
	if (!(error instanceof ProgramError) || error instanceof ProgramTimeoutError) return error
	return endedByItself(error) ? refusalIn(error) : error
}

/** Not for want of room, files or rights on this machine. */
export const endedByItself = ({ message, stderr }: ProgramError): boolean =>
	/ended with status/.test(message) && !MACHINES_FAULT.test(stderr)

/** What is said of files that no machine could read. */
const HOPELESS =
	/Invalid data found when processing input|moov atom not found|does not contain any stream|matches no streams|could not find codec parameters|Format .* not on whitelist/i

/** As above, of programs that do more than read: encoders and cards fail too, so only what is certain is blamed on the file. */
export function blameSource(error: unknown): unknown {
	if (error instanceof EndedEarlyError) return endsTooEarly(error.frames, error.message)
	return error instanceof ProgramError && HOPELESS.test(error.stderr) ? refusalIn(error) : error
}

const refusalIn = ({ stderr }: ProgramError): SourceError =>
	new SourceError(meanings.find(([said]) => said.test(stderr))?.[1] ?? SOMETHING_ELSE, stderr.slice(-4_000))

export const endsTooEarly = (frames: number, detail: string): SourceError =>
	new SourceError(
		`The video ends too early, after ${frames} frames of this part. The file may be cut off or damaged.`,
		detail,
	)

/** Below this, ffmpeg itself says that it guesses: of noise, too, it thinks that it might be a container. */
const LEAST_CERTAINTY = 25

export function refuseContainer({ format, streams }: Probed): void {
	if (format.probe_score < LEAST_CERTAINTY) throw new SourceError(SOMETHING_ELSE)
	// Containers that find tracks on the way are not held to the limit by their demuxers.
	if (streams.length > MAX_STREAMS) throw new SourceError(`This file has more than ${MAX_STREAMS} tracks.`)
}

export function refusePicture({ codec_name, width, height, pix_fmt }: ProbedStream): void {
	if (!codec_name || codec_name === 'unknown')
		throw new SourceError('The picture of this file is in a format that we can not read.')
	if (width * height > MAX_PIXELS)
		throw new SourceError(`The picture is too large: ${width} × ${height}; ${LARGEST_PICTURE} is the limit.`)
	if (width * height === 0 || !pix_fmt)
		throw new SourceError('There is no picture in this file that could be read: it is damaged, or encrypted.')
}

/** Containers that record their length in the head, and of which the end is missed by nothing else. */
const RECORDS_LENGTH = /^(flv|flac)$/
const MISSING_SEC = 0.5

export function refuseLength(durationSec: number, { format }: Probed, maxDurationSec: number): void {
	if (!(durationSec > 0)) throw new SourceError('What is in this file lasts no time at all.')
	if (durationSec > maxDurationSec)
		throw new SourceError(
			`This video is ${minutes(durationSec)} minutes long; ${minutes(maxDurationSec)} are the limit.`,
		)
	if (RECORDS_LENGTH.test(format.format_name) && (format.duration ?? 0) - durationSec > MISSING_SEC)
		throw new SourceError(ENDS_EARLY)
}

/** Packets are parts of the file; some containers pad them, or take a little off each. */
const MOST_GROWTH = 2
const FREE_GROWTH_BYTES = 64 * 1024 ** 2

/**
 * Matroska may hold its packets compressed a thousandfold, and a table of samples may name the same bytes again and
 * again: a file of some megabytes then takes hours to go through. `bytes`: of all packets so far.
 */
export function refuseGrowth(bytes: number, fileBytes: number): void {
	if (bytes > MOST_GROWTH * fileBytes + FREE_GROWTH_BYTES)
		throw new SourceError('There is far more packed into this file than its size allows for.')
}

const minutes = (seconds: number): string => (seconds / 60).toFixed(seconds < 600 ? 1 : 0)
