import {
	type AudioInfo,
	LARGEST_PICTURE,
	MAX_PIXELS,
	type MediaInfo,
	type Rational,
	type VideoInfo,
} from '#schema/contract/video/media-info.ts'
import { composeRungId, type QualityStep } from '#schema/contract/video/quality.ts'
import {
	canCopyTrack,
	type Rung,
	type TaskSpec,
	type TaskSpecByKind,
	type VideoCodec,
} from '#schema/contract/video/tasks.ts'
import type { JobPlan, RequestedOptions } from '#schema/tables/video/job-plan.ts'
import { nameTracks, planTrack, selectAudio } from './audio-tracks.ts'
import { listNonStandardReasons } from './copy-eligibility.ts'
import {
	type Chunk,
	chooseSegmentLength,
	MAX_REPORTED_SEGMENTS,
	planEvenCuts,
	planFrameGrid,
	planKeyframeCuts,
	splitIntoChunks,
} from './frame-grid.ts'
import { computeDisplaySize, fitInto } from './frame-size.ts'
import { type LadderStep, planLadder, planRung, selectAdditionalSteps } from './ladder.ts'
import { type AdditionalCodec, computeRank, tiers } from './ranks.ts'
import { mergeStoryboard, planStoryboard } from './storyboard.ts'

/** The encoding decisions from the request, the organization and the fleet. */
export type EncodeOptions = RequestedOptions & {
	/** Always includes H.264. */
	codecs: readonly VideoCodec[]
	/** The encoder of each codec for the whole job. */
	encoders: Readonly<Partial<Record<VideoCodec, string>>>
	/** Overrides the contract's qualities. */
	qualities?: readonly QualityStep[]
}

export type PlannedTask = {
	/** Index among the tasks of its kind. */
	index: number
	/** Lower ranks run first. */
	rank: number
	spec: TaskSpec
}

/** The source can't be made playable; the message is shown to its owner. */
export class UnplayableError extends Error {
	override name = 'UnplayableError'
}

/** One peak for every three pixels of a wide player. */
const PEAKS = 400

export type PlanJob = (info: MediaInfo, options: EncodeOptions) => { plan: JobPlan; tasks: PlannedTask[] }

/** First ranks. A copy is playable within seconds, but only together with its audio. */
const FIRST_RANK = { remux: 0, audio: 1, stills: 2, chunks: 10 }

export const planJob: PlanJob = (info, options) => {
	requirePlayable(info, options)
	const audio = selectAudio(info.audio)
	if (!info.video) return planAudio(info.durationSec, audio, options)
	return planVideo(info, info.video, audio, options)
}

function requirePlayable({ video, audio, durationSec }: MediaInfo, { maxDurationSec }: EncodeOptions): void {
	if (!video && audio.length === 0) throw new UnplayableError('the file has no playable video or audio')
	const hasLength = video ? video.durationSec > 0 : selectAudio(audio).length > 0
	if (durationSec <= 0 || !hasLength)
		throw new UnplayableError('the file is empty: its duration is 0 seconds')
	if (durationSec > maxDurationSec)
		throw new UnplayableError(
			`the video is ${hoursOf(durationSec)} long; the limit is ${hoursOf(maxDurationSec)}`,
		)
	if (video && video.codedWidth * video.codedHeight > MAX_PIXELS)
		throw new UnplayableError(
			`the picture is too large: ${video.codedWidth} × ${video.codedHeight}; the limit is ${LARGEST_PICTURE}`,
		)
}

function planAudio(durationSec: number, audio: AudioInfo[], options: EncodeOptions): ReturnType<PlanJob> {
	const plan: JobPlan = {
		version: 1,
		durationSec,
		fps: null,
		rungs: [],
		chunks: 0,
		starts: [],
		storyboard: null,
		audioTracks: nameTracks(audio),
		nonStandardReasons: [],
	}
	const segment = { num: 4, den: 1 }
	return {
		plan,
		tasks: audioTasks(audio, { segment, seconds: durationSec, videoSec: null }, FIRST_RANK.stills, options),
	}
}

function planVideo(
	info: MediaInfo,
	video: VideoInfo,
	audio: AudioInfo[],
	options: EncodeOptions,
): ReturnType<PlanJob> {
	const grid = planFrameGrid(video)
	const size = computeDisplaySize(video)
	const [top, ...below] = planLadder(size, grid.fps, options.qualities)
	if (!top) throw new Error('the ladder is empty')
	const reasons = listNonStandardReasons(info, video, grid, top)
	const copied = reasons.length === 0 ? top : null
	const h264 = (copied ? below : [top, ...below]).map((step) =>
		planRung(step, grid.fps, 'h264', options.encoders.h264 ?? 'libx264', options.qualities),
	)
	const additional = additionalRungs([top, ...below], grid.fps, options)
	const cuts = copied ? planKeyframeCuts(grid, video.keyframes ?? []) : planEvenCuts(grid)
	const maxRungs = Math.max(h264.length, ...additional.map((each) => each.rungs.length))
	const chunks = maxRungs > 0 ? splitIntoChunks(grid, cuts, video.longestGopSec, maxRungs) : []
	const chunksForPlayback = h264.length > 0 ? chunks : []
	const storyboard = planStoryboard(size, grid, chunksForPlayback)
	// Keyframes are not needed after cutting, and would be repeated in the spec of each chunk.
	const videoInfo = { ...video, keyframes: null }
	const prepare = { deinterlace: video.isInterlaced, toneMap: video.isHdr }
	const { fps } = grid
	const tasks: PlannedTask[] = []
	if (copied) {
		const rung = composeRungId('h264', copied.quality)
		tasks.push({
			index: 0,
			rank: FIRST_RANK.remux,
			spec: { kind: 'remux', video: videoInfo, rung, fps, cuts },
		})
	}
	const videoSec = (grid.frames * fps.den) / fps.num
	// If playback must wait for the last chunk, small tasks fill the gaps at the end.
	const smallTaskRank = copied ? FIRST_RANK.stills : FIRST_RANK.chunks + chunks.length
	tasks.push(
		...audioTasks(
			audio,
			{ segment: chooseSegmentLength(fps), seconds: videoSec, videoSec },
			smallTaskRank,
			options,
		),
	)
	tasks.push({
		index: 0,
		rank: smallTaskRank,
		spec: {
			kind: 'stills',
			video: videoInfo,
			prepare,
			fps,
			durationSec: videoSec,
			poster: fitInto(size, 1_280),
			preview: fitInto(size, 320),
			storyboard: chunksForPlayback.length > 0 ? null : mergeStoryboard(storyboard, grid.frames),
		},
	})
	const specOf = (chunk: Chunk) => ({ kind: 'video' as const, video: videoInfo, prepare, fps, ...chunk })
	chunksForPlayback.forEach((chunk, index) => {
		const spec = { ...specOf(chunk), rungs: h264, storyboard }
		tasks.push({ index, rank: FIRST_RANK.chunks + index, spec })
	})
	// Each codec decodes separately, which is cheap beside encoding. A codec that fails or waits delays no other.
	for (const [k, { codec, rungs }] of additional.entries())
		chunks.forEach((chunk, index) => {
			const spec = { ...specOf(chunk), rungs, storyboard: null }
			tasks.push({ index: (k + 1) * chunks.length + index, rank: computeRank(tiers[codec], index), spec })
		})
	const plan: JobPlan = {
		version: 1,
		durationSec: videoSec,
		fps,
		rungs: plannedRungs(copied, [...h264, ...additional.flatMap((each) => each.rungs)]),
		chunks: chunks.length,
		starts: chunks.map(({ firstFrame, firstSegment }) => ({ frame: firstFrame, segment: firstSegment })),
		storyboard,
		audioTracks: nameTracks(audio),
		nonStandardReasons: reasons,
	}
	return { plan, tasks: tasks.toSorted((a, b) => a.rank - b.rank) }
}

/** Returns the HEVC and AV1 rungs. They include the size that H.264 copies. */
function additionalRungs(
	ladder: readonly LadderStep[],
	fps: Rational,
	{ codecs, encoders, qualities }: EncodeOptions,
): { codec: AdditionalCodec; rungs: Rung[] }[] {
	return (['hevc', 'av1'] as const).flatMap((codec) => {
		const encoder = codecs.includes(codec) ? encoders[codec] : undefined
		if (encoder === undefined) return []
		const rungs = selectAdditionalSteps(ladder, fps).map((step) =>
			planRung(step, fps, codec, encoder, qualities),
		)
		return rungs.length > 0 ? [{ codec, rungs }] : []
	})
}

function plannedRungs(copied: LadderStep | null, rungs: readonly Rung[]): JobPlan['rungs'] {
	const encoded = rungs.map(({ id, quality, codec, width, height }) => {
		return { id, quality, codec, width, height, copied: false }
	})
	if (!copied) return encoded
	const id = composeRungId('h264', copied.quality)
	return [{ id, codec: 'h264', ...copied, copied: true }, ...encoded]
}

type AudioLength = {
	segment: Rational
	/** Approximate duration. */
	seconds: number
	/** Duration of the video; null without video. */
	videoSec: number | null
}

/**
 * Plans one task for all tracks, or several if their segments are too many for one result. Audio files come from the
 * same decode. For a copied track, files that must be encoded become a later task.
 */
function audioTasks(
	audio: AudioInfo[],
	{ segment, seconds, videoSec }: AudioLength,
	rankOfFiles: number,
	options: EncodeOptions,
): PlannedTask[] {
	const tracks = audio.map((source, index) => planTrack(source, index, videoSec))
	const defaultTrackId = nameTracks(audio).find(({ isDefault }) => isDefault)?.id
	const mainTrack = tracks.find(({ id }) => id === defaultTrackId)
	if (!mainTrack) return []
	const segments = Math.ceil((seconds * segment.den) / segment.num)
	const tracksPerTask = Math.max(1, Math.floor(MAX_REPORTED_SEGMENTS / segments))
	const common = { kind: 'audio' as const, segment, durationSec: videoSec }
	const noFiles = { playback: null, ai: null }
	const { playback, ai } = options
	const isCopy = mainTrack.isCopied && canCopyTrack(mainTrack, playback)
	const atOnce = mainTrack.isCopied ? { playback: isCopy ? playback : null, ai: null } : { playback, ai }
	const later = { playback: isCopy ? null : playback, ai }
	// A copy decodes nothing, so the task that makes the files measures the peaks.
	const peaks = videoSec === null ? { peaks: PEAKS } : {}
	const specs: TaskSpecByKind<'audio'>[] = Array.from(
		{ length: Math.ceil(tracks.length / tracksPerTask) },
		(_, index) => {
			const own = tracks.slice(index * tracksPerTask, (index + 1) * tracksPerTask)
			const isMain = own.includes(mainTrack)
			return {
				...common,
				tracks: own,
				...(isMain ? atOnce : noFiles),
				filesOnly: false,
				...(isMain && !mainTrack.isCopied ? peaks : {}),
			}
		},
	)
	const tasks = specs.map((spec, index) => ({ index, rank: FIRST_RANK.audio, spec }))
	if (!mainTrack.isCopied) return tasks
	const spec = { ...common, tracks: [mainTrack], ...later, filesOnly: true, ...peaks }
	return [...tasks, { index: tasks.length, rank: rankOfFiles, spec }]
}

function hoursOf(seconds: number): string {
	if (seconds < 120) return `${Math.round(seconds)} seconds`
	return seconds < 7_200 ? `${Math.round(seconds / 60)} minutes` : `${(seconds / 3_600).toFixed(1)} hours`
}
