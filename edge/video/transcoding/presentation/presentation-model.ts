import type { Rational } from '#schema/contract/video/media-info.ts'
import type { TaskResultByKind } from '#schema/contract/video/tasks.ts'
import type { JobPlan } from '#schema/tables/video/job-plan.ts'
import type { SegmentSize } from '../plan/bitrates.ts'
import type { AdditionalCodec } from '../plan/ranks.ts'
import { computeSegmentDurations } from './playlists.ts'
import { listCompleteRungs, type RungStream, requireFps, UnfitOutputsError } from './rung-streams.ts'
import type { TaskOutput } from './task-output.ts'

export type AudioStream = TaskResultByKind<'audio'>['tracks'][number] & {
	folder: string
	track: JobPlan['audioTracks'][number]
	sizes: SegmentSize[]
}

export type MeasuredRung = { stream: RungStream; sizes: SegmentSize[]; keys: SegmentSize[] }

/** The complete streams of a job. Playlists are only printed from it. */
export type PresentationModel = {
	/** Null for audio without video. */
	fps: Rational | null
	audioStreams: AudioStream[]
	rungs: MeasuredRung[]
	/** One target duration for all playlists: the smallest that fits every segment. */
	targetSec: number
	hasAllH264: boolean
	/** Additional codecs that were omitted because their outputs are inconsistent. */
	unfit: { codec: AdditionalCodec; problem: string }[]
}

/** Uses only complete rungs and tracks. Returns null while nothing can be played. */
export function buildModel(plan: JobPlan, outputs: readonly TaskOutput[]): PresentationModel | null {
	const audioStreams = completeAudio(plan, outputs)
	const h264 = listCompleteRungs(plan, outputs, 'h264')
	const isSilent = plan.audioTracks.length === 0
	// H.264 and audio are required, since some players support nothing else.
	if ((!isSilent && audioStreams.length === 0) || (plan.rungs.length > 0 && h264.length === 0)) return null
	const { rungs: streams, unfit } = withAdditional(plan, outputs, h264)
	const rungs = streams.map((stream) => measureRung(plan, stream))
	return {
		fps: plan.fps,
		audioStreams,
		rungs,
		targetSec: targetOf([...audioStreams, ...rungs].map((each) => each.sizes)),
		hasAllH264: h264.length === plan.rungs.filter(({ codec }) => codec === 'h264').length,
		unfit,
	}
}

/** Adds the rungs of additional codecs. An inconsistent codec is reported and omitted. */
function withAdditional(plan: JobPlan, outputs: readonly TaskOutput[], h264: readonly RungStream[]) {
	const rungs = [...h264]
	const unfit: PresentationModel['unfit'] = []
	for (const codec of ['hevc', 'av1'] as const)
		try {
			rungs.push(...listCompleteRungs(plan, outputs, codec, h264))
		} catch (error) {
			if (!(error instanceof UnfitOutputsError)) throw error
			unfit.push({ codec, problem: error.message })
		}
	return { rungs, unfit }
}

/** Returns all tracks, or none until all are complete, because a playing client does not reload the master. */
function completeAudio(plan: JobPlan, outputs: readonly TaskOutput[]): AudioStream[] {
	const tracks = outputs.flatMap(({ folder, result }) =>
		result.kind === 'audio' ? result.tracks.map((track) => ({ ...track, folder })) : [],
	)
	const audioStreams = plan.audioTracks.flatMap((track) => {
		const output = tracks.find(({ id }) => id === track.id)
		if (!output) return []
		const lengths = output.segments.map(({ samples }) => samples)
		const durations = computeSegmentDurations(lengths, { num: output.sampleRate, den: 1 })
		return [{ ...output, track, sizes: sizesOf(output.segments, durations) }]
	})
	return audioStreams.length === plan.audioTracks.length ? audioStreams : []
}

const sizesOf = (segments: readonly { bytes: number }[], durations: readonly number[]): SegmentSize[] =>
	segments.map(({ bytes }, k) => ({ bytes, seconds: durations[k] ?? 0 }))

function measureRung(plan: JobPlan, stream: RungStream): MeasuredRung {
	const durations = computeSegmentDurations(
		stream.segments.map(({ frames }) => frames),
		requireFps(plan),
	)
	const keys = stream.segments.map(({ keyBytes }) => ({ bytes: keyBytes }))
	return { stream, sizes: sizesOf(stream.segments, durations), keys: sizesOf(keys, durations) }
}

const targetOf = (all: readonly SegmentSize[][]): number =>
	Math.max(1, ...all.flat().map(({ seconds }) => Math.round(seconds)))
