import { parseRational, toNumber } from '../../ffmpeg/frame-rate.ts'
import type { Probed, ProbedStream } from '../../ffmpeg/probe.ts'
import type { Span, Timeline } from '../../ffmpeg/timeline.ts'
import type { SourceHead } from '../../source-heads/head-findings.ts'
import { SourceError } from '../task.ts'

export type TrackTimes = {
	timelines: ReadonlyMap<number, Timeline>
	spans: ReadonlyMap<number, Span>
}

/** A track that was created but never filled. */
const EMPTY_FRAMES = 2

/** Rejects an MP4 whose edit lists leave none of its video, or none of its audio. */
export function rejectLostTracks(
	{ format }: Probed,
	pictures: readonly ProbedStream[],
	sounds: readonly ProbedStream[],
	{ timelines, spans }: TrackTimes,
): void {
	if (!format.format_name.startsWith('mov')) return
	const isFilled = ({ nb_frames }: ProbedStream) => nb_frames > EMPTY_FRAMES
	const frames = ({ index }: ProbedStream) => timelines.get(index)?.frameCount ?? 0
	const soundBytes = ({ index }: ProbedStream) => spans.get(index)?.bytes ?? 0
	for (const [kind, tracks, count] of [
		['video', pictures, frames],
		['audio', sounds, soundBytes],
	] as const)
		if (tracks.some(isFilled) && tracks.every((track) => count(track) === 0))
			throw new SourceError(`the edit list of this file leaves out all of its ${kind}; ${EXPORT_AGAIN}`)
}

/** The fewest samples that a packet of these codecs contains. */
const PACKET_SAMPLES: Readonly<Record<string, number>> = { aac: 480, mp3: 576, ac3: 1_536, eac3: 256 }
/** Some writers round times, or repeat a few. */
const MIN_PACE = 0.25

/** Rejects an audio track whose packets last a fraction of the time that their samples need. */
export function rejectRushedAudio(
	{ codec_name, sample_rate, time_base }: ProbedStream,
	span: Span | undefined,
): void {
	const samples = PACKET_SAMPLES[codec_name ?? '']
	const timeBase = parseRational(time_base)
	if (!samples || !timeBase || !span || span.packets < 2) return
	const neededSec = ((span.packets - 1) * samples) / sample_rate
	if (span.reach * toNumber(timeBase) < MIN_PACE * neededSec) throw damagedTimesError('audio')
}

export const damagedTimesError = (kind: 'video' | 'audio'): SourceError =>
	new SourceError(`the times of the ${kind} in this file are damaged; ${EXPORT_AGAIN}`)

/** Programs replace an invalid time scale by a guess, so the duration is wrong. */
export function rejectInvalidClock({ hasInvalidClock }: SourceHead): void {
	if (hasInvalidClock) throw new SourceError(`the time scale of this file is invalid; ${EXPORT_AGAIN}`)
}

const EXPORT_AGAIN = 'export it again, then upload the new file'
