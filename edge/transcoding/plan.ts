import type { z } from 'zod'
import {
	type AudioInfo,
	LARGEST_PICTURE,
	MAX_PIXELS,
	type MediaInfo,
	type Rational,
	type VideoInfo,
} from '#schema/contract/media-info.ts'
import {
	type AudioFile,
	isSoundOf,
	type Rung,
	type RungId,
	type Storyboard,
	type TaskSpec,
	type TaskSpecOf,
	type VideoCodec,
} from '#schema/contract/tasks.ts'
import { keptAudio, type NamedTrack, nameTracks, trackOf } from './audio-tracks.ts'
import {
	type Chunk,
	chunksOf,
	evenCuts,
	frameGridOf,
	keyframeCuts,
	MAX_TOLD_SEGMENTS,
	segmentLengthOf,
} from './frame-grid.ts'
import { displaySizeOf, fitInto } from './frame-size.ts'
import { additionalStepsOf, type LadderStep, ladderOf, rungIdOf, rungOf } from './ladder.ts'
import { type AdditionalCodec, rankIn, tiers } from './ranks.ts'
import { type NonStandardReason, nonStandardReasons } from './standard.ts'
import { storyboardOf, wholeStoryboard } from './storyboard.ts'

/** What the organization and the fleet have to say about how a video is made. */
export type Wish = {
	/** H.264 always; others beside it. */
	codecs: readonly VideoCodec[]
	/** The encoder that makes each codec, for the whole job. */
	encoders: Readonly<Partial<Record<VideoCodec, string>>>
	playback: AudioFile
	ai: AudioFile
	maxDurationSec: number
}

export type PlannedTask = {
	/** Among those of its kind. */
	index: number
	/** The smaller comes first. */
	rank: number
	spec: TaskSpec
}

/** Stored with the job: all that the playlists need beside what the tasks report. */
export type Plan = {
	version: 1
	durationSec: number
	fps: Rational | null
	/** Rungs from the best to the least, the copied one among them; those of H.264 before other codecs. */
	rungs: (Pick<Rung, 'quality' | 'codec' | 'width' | 'height'> & {
		id: z.infer<typeof RungId>
		copied: boolean
	})[]
	/** Of each codec that is encoded; task n of the kind is about chunk n modulo as many. */
	chunks: number
	/** First frame and first segment of each chunk. */
	starts: { frame: number; segment: number }[]
	/** Of the sheets of the chunks, or of the stills where nothing is decoded in chunks; null without a picture. */
	storyboard: Storyboard | null
	/** Empty for a video without sound: nothing waits for any then. */
	audioTracks: NamedTrack[]
	/** Why the source could not be copied; empty where it was. */
	nonStandardReasons: NonStandardReason[]
}

/** Nobody can make anything playable of it; the message is for its owner. */
export class UnplayableError extends Error {
	override name = 'UnplayableError'
}

export type PlanJob = (info: MediaInfo, wish: Wish) => { plan: Plan; tasks: PlannedTask[] }

/** A copy is playable within seconds, and nothing is without its sound. */
const FIRST = { remux: 0, audio: 1, stills: 2, chunks: 10 }

export const planJob: PlanJob = (info, wish) => {
	refuseUnplayable(info, wish)
	const audio = keptAudio(info.audio)
	if (!info.video) return planSound(info.durationSec, audio, wish)
	return planPicture(info, info.video, audio, wish)
}

function refuseUnplayable({ video, audio, durationSec }: MediaInfo, { maxDurationSec }: Wish): void {
	if (!video && audio.length === 0)
		throw new UnplayableError('The file has neither a picture nor sound that could be played.')
	const hasLength = video ? video.durationSec > 0 : keptAudio(audio).length > 0
	if (durationSec <= 0 || !hasLength)
		throw new UnplayableError('The file is empty: what is in it lasts 0 seconds.')
	if (durationSec > maxDurationSec)
		throw new UnplayableError(
			`The video is ${hoursOf(durationSec)} long; at most ${hoursOf(maxDurationSec)} can be processed.`,
		)
	if (video && video.codedWidth * video.codedHeight > MAX_PIXELS)
		throw new UnplayableError(
			`The picture is too large: ${video.codedWidth} × ${video.codedHeight}; at most ${LARGEST_PICTURE} can be processed.`,
		)
}

function planSound(durationSec: number, audio: AudioInfo[], wish: Wish): ReturnType<PlanJob> {
	const plan: Plan = {
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
		tasks: audioTasks(audio, { segment, seconds: durationSec, shownSec: null }, FIRST.stills, wish),
	}
}

function planPicture(info: MediaInfo, video: VideoInfo, audio: AudioInfo[], wish: Wish): ReturnType<PlanJob> {
	const grid = frameGridOf(video)
	const size = displaySizeOf(video)
	const [top, ...below] = ladderOf(size, grid.fps)
	if (!top) throw new Error('a ladder without a rung')
	const reasons = nonStandardReasons(info, video, grid, top)
	const copied = reasons.length === 0 ? top : null
	const h264 = (copied ? below : [top, ...below]).map((step) =>
		rungOf(step, grid.fps, 'h264', wish.encoders.h264 ?? 'libx264'),
	)
	const additional = additionalRungs([top, ...below], grid.fps, wish)
	const cuts = copied ? keyframeCuts(grid, video.keyframes ?? []) : evenCuts(grid)
	const most = Math.max(h264.length, ...additional.map((each) => each.rungs.length))
	const chunks = most > 0 ? chunksOf(grid, cuts, video.longestGopSec, most) : []
	const chunksForPlayback = h264.length > 0 ? chunks : []
	const storyboard = storyboardOf(size, grid, chunksForPlayback)
	// Nobody cuts by it any more, and it would be repeated with each chunk.
	const lean = { ...video, keyframes: null }
	const prepare = { deinterlace: video.isInterlaced, toneMap: video.isHdr }
	const { fps } = grid
	const tasks: PlannedTask[] = []
	if (copied) {
		const rung = rungIdOf('h264', copied.quality)
		tasks.push({ index: 0, rank: FIRST.remux, spec: { kind: 'remux', video: lean, rung, fps, cuts } })
	}
	const shownSec = (grid.frames * fps.den) / fps.num
	// Where nothing can be played before the last chunk, small work fills what gaps are left at the end.
	const smallWork = copied ? FIRST.stills : FIRST.chunks + chunks.length
	tasks.push(
		...audioTasks(audio, { segment: segmentLengthOf(fps), seconds: shownSec, shownSec }, smallWork, wish),
	)
	tasks.push({
		index: 0,
		rank: smallWork,
		spec: {
			kind: 'stills',
			video: lean,
			prepare,
			fps,
			durationSec: shownSec,
			poster: fitInto(size, 1_280),
			preview: fitInto(size, 320),
			storyboard: chunksForPlayback.length > 0 ? null : wholeStoryboard(storyboard, grid.frames),
		},
	})
	const specOf = (chunk: Chunk) => ({ kind: 'video' as const, video: lean, prepare, fps, ...chunk })
	chunksForPlayback.forEach((chunk, index) => {
		const spec = { ...specOf(chunk), rungs: h264, storyboard }
		tasks.push({ index, rank: FIRST.chunks + index, spec })
	})
	// Each codec decodes anew, which costs little beside its encoding: so one that fails or waits holds up no other.
	for (const [k, { codec, rungs }] of additional.entries())
		chunks.forEach((chunk, index) => {
			const spec = { ...specOf(chunk), rungs, storyboard: null }
			tasks.push({ index: (k + 1) * chunks.length + index, rank: rankIn(tiers[codec], index), spec })
		})
	const plan: Plan = {
		version: 1,
		durationSec: shownSec,
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

/** Beside the H.264 that everyone can play; what is copied is encoded for them as well. */
function additionalRungs(
	ladder: readonly LadderStep[],
	fps: Rational,
	{ codecs, encoders }: Wish,
): { codec: AdditionalCodec; rungs: Rung[] }[] {
	return (['hevc', 'av1'] as const).flatMap((codec) => {
		const encoder = codecs.includes(codec) ? encoders[codec] : undefined
		if (encoder === undefined) return []
		const rungs = additionalStepsOf(ladder, fps).map((step) => rungOf(step, fps, codec, encoder))
		return rungs.length > 0 ? [{ codec, rungs }] : []
	})
}

function plannedRungs(copied: LadderStep | null, rungs: readonly Rung[]): Plan['rungs'] {
	const encoded = rungs.map(({ id, quality, codec, width, height }) => {
		return { id, quality, codec, width, height, copied: false }
	})
	if (!copied) return encoded
	const id = rungIdOf('h264', copied.quality)
	return [{ id, codec: 'h264', ...copied, copied: true }, ...encoded]
}

type SoundLength = {
	segment: Rational
	/** About. */
	seconds: number
	/** null without a picture. */
	shownSec: number | null
}

/**
 * All tracks at once, as far as what they leave can be told of at once: the longer the sound, the fewer. Files come from
 * the same decode; where the track is copied there is none, and those that are not copies themselves can wait.
 */
function audioTasks(
	audio: AudioInfo[],
	{ segment, seconds, shownSec }: SoundLength,
	rankOfFiles: number,
	wish: Wish,
): PlannedTask[] {
	const tracks = audio.map((source, index) => trackOf(source, index, shownSec))
	const chosen = nameTracks(audio).find(({ isDefault }) => isDefault)?.id
	const filed = tracks.find(({ id }) => id === chosen)
	if (!filed) return []
	const segments = Math.ceil((seconds * segment.den) / segment.num)
	const together = Math.max(1, Math.floor(MAX_TOLD_SEGMENTS / segments))
	const common = { kind: 'audio' as const, segment, durationSec: shownSec }
	const noFiles = { playback: null, ai: null }
	const { playback, ai } = wish
	const isCopy = filed.isCopied && isSoundOf(filed, playback)
	const atOnce = filed.isCopied ? { playback: isCopy ? playback : null, ai: null } : { playback, ai }
	const later = { playback: isCopy ? null : playback, ai }
	const specs: TaskSpecOf<'audio'>[] = Array.from(
		{ length: Math.ceil(tracks.length / together) },
		(_, index) => {
			const own = tracks.slice(index * together, (index + 1) * together)
			return { ...common, tracks: own, ...(own.includes(filed) ? atOnce : noFiles), filesOnly: false }
		},
	)
	const tasks = specs.map((spec, index) => ({ index, rank: FIRST.audio, spec }))
	if (!filed.isCopied) return tasks
	const spec = { ...common, tracks: [filed], ...later, filesOnly: true }
	return [...tasks, { index: tasks.length, rank: rankOfFiles, spec }]
}

function hoursOf(seconds: number): string {
	if (seconds < 120) return `${Math.round(seconds)} seconds`
	return seconds < 7_200 ? `${Math.round(seconds / 60)} minutes` : `${(seconds / 3_600).toFixed(1)} hours`
}
