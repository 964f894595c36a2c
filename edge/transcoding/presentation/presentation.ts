import type { TaskResultOf } from '#schema/contract/video/tasks.ts'
import { initName, segmentName, VideoCodec } from '#schema/contract/video/tasks.ts'
import type { JobPlan } from '#schema/tables/job-plan.ts'
import { averageOf, peakOf, type SegmentSize } from '../plan/bitrates.ts'
import { type PlacedSheet, writeStoryboard } from '../plan/storyboard.ts'
import type { AdditionalCodec } from '../store/ranks.ts'
import {
	type AudioRendition,
	durationsOf,
	type Variant,
	writeMaster,
	writeMediaPlaylist,
} from './playlists.ts'
import { chunkOutputs, completeRungs, type RungStream, UnfitOutputsError } from './rung-streams.ts'
import type { TaskOutput } from './task-output.ts'

export type Presentation = {
	/** Playlists and storyboard. Only the master playlist changes after it was written. */
	files: { name: string; contentType: string; text: string }[]
	master: string
	/** Renditions for the asset record, one per complete rung. */
	renditions: {
		rungId: string
		quality: string
		width: number
		height: number
		bitrateKbps: number
		codec: string
	}[]
	/** True if every planned H.264 output is present. */
	isWhole: boolean
	/** Additional codecs that were omitted because their outputs are inconsistent. */
	unfit: { codec: AdditionalCodec; problem: string }[]
}

/** Uses only complete rungs and tracks. Returns null while nothing can be played. */
export type WritePresentation = (plan: JobPlan, outputs: readonly TaskOutput[]) => Presentation | null

export const MASTER_NAME = 'master.m3u8'
export const STORYBOARD_NAME = 'storyboard.vtt'

const PLAYLIST_TYPE = 'application/vnd.apple.mpegurl'
const VTT_TYPE = 'text/vtt; charset=utf-8'

/** Players start with the first variant; about this bitrate suits most connections. */
const FIRST_VARIANT_BPS = 2_000_000

type AudioStream = TaskResultOf<'audio'>['tracks'][number] & {
	folder: string
	track: JobPlan['audioTracks'][number]
	sizes: SegmentSize[]
}

export const writePresentation: WritePresentation = (plan, outputs) => {
	const audioStreams = completeAudio(plan, outputs)
	const h264 = completeRungs(plan, outputs, 'h264')
	const isSilent = plan.audioTracks.length === 0
	// H.264 and audio are required, since some players support nothing else.
	if ((!isSilent && audioStreams.length === 0) || (plan.rungs.length > 0 && h264.length === 0)) return null
	const { rungs, unfit } = withAdditional(plan, outputs, h264)
	const measured = rungs.map((stream) => measureRung(plan, stream))
	// Audio and video playlists share one target duration, the smallest that fits every segment.
	const targetSec = targetOf([...audioStreams, ...measured].map((each) => each.sizes))
	const storyboard = storyboardFile(plan, outputs)
	const hasVideo = plan.rungs.length > 0
	const files = [
		...audioStreams.map((stream) => playlistFile(audioName(stream), writeAudioPlaylist(stream, targetSec))),
		...measured.flatMap(({ stream }) => [
			playlistFile(videoName(stream), writeVideoPlaylist(plan, stream, targetSec, false)),
			playlistFile(iframesName(stream), writeVideoPlaylist(plan, stream, targetSec, true)),
		]),
		...(storyboard ? [storyboard] : []),
	]
	const variants = hasVideo
		? inOrder(
				measured.map((each) => ({ ...videoVariant(plan, each, audioStreams, targetSec), of: each.stream })),
			)
		: audioStreams
				.filter(({ track }) => track.isDefault)
				.map((stream) => audioVariant(stream, audioStreams, targetSec))
	const iframes = measured.map((each) => iframeVariant(plan, each, targetSec))
	const renditions = hasVideo || audioStreams.length > 1 ? audioStreams.map(audioRendition) : []
	const planned = plan.rungs.filter(({ codec }) => codec === 'h264')
	const isWhole = h264.length === planned.length && (!hasVideo || storyboard !== null)
	return {
		files: [...files, playlistFile(MASTER_NAME, writeMaster(renditions, variants, iframes))],
		master: MASTER_NAME,
		renditions: measured.map(({ stream, sizes: segments }) => ({
			rungId: stream.rung.id,
			quality: stream.rung.quality,
			width: stream.width,
			height: stream.height,
			bitrateKbps: Math.round(averageOf(segments) / 1_000),
			codec: stream.rung.codec,
		})),
		isWhole,
		unfit,
	}
}

/** Adds the rungs of additional codecs. An inconsistent codec is reported and omitted. */
function withAdditional(plan: JobPlan, outputs: readonly TaskOutput[], h264: readonly RungStream[]) {
	const rungs = [...h264]
	const unfit: Presentation['unfit'] = []
	for (const codec of ['hevc', 'av1'] as const)
		try {
			rungs.push(...completeRungs(plan, outputs, codec, h264))
		} catch (error) {
			if (!(error instanceof UnfitOutputsError)) throw error
			unfit.push({ codec, problem: error.message })
		}
	return { rungs, unfit }
}

const playlistFile = (name: string, text: string) => ({ name, contentType: PLAYLIST_TYPE, text })

const audioName = ({ id }: AudioStream): string => `${id}.m3u8`
const videoName = ({ rung }: RungStream): string => `${rung.id}.m3u8`
const iframesName = ({ rung }: RungStream): string => `${rung.id}-iframes.m3u8`

/** Returns all tracks, or none until all are complete, because a playing client does not reload the master. */
function completeAudio(plan: JobPlan, outputs: readonly TaskOutput[]): AudioStream[] {
	const tracks = outputs.flatMap(({ folder, result }) =>
		result.kind === 'audio' ? result.tracks.map((track) => ({ ...track, folder })) : [],
	)
	const audioStreams = plan.audioTracks.flatMap((track) => {
		const output = tracks.find(({ id }) => id === track.id)
		if (!output) return []
		const lengths = output.segments.map(({ samples }) => samples)
		const durations = durationsOf(lengths, { num: output.sampleRate, den: 1 })
		return [{ ...output, track, sizes: sizesOf(output.segments, durations) }]
	})
	return audioStreams.length === plan.audioTracks.length ? audioStreams : []
}

const sizesOf = (segments: readonly { bytes: number }[], durations: readonly number[]): SegmentSize[] =>
	segments.map(({ bytes }, k) => ({ bytes, seconds: durations[k] ?? 0 }))

type MeasuredRung = { stream: RungStream; sizes: SegmentSize[]; keys: SegmentSize[] }

function measureRung(plan: JobPlan, stream: RungStream): MeasuredRung {
	const durations = durationsOf(
		stream.segments.map(({ frames }) => frames),
		fpsOf(plan),
	)
	const keys = stream.segments.map(({ keyBytes }) => ({ bytes: keyBytes }))
	return { stream, sizes: sizesOf(stream.segments, durations), keys: sizesOf(keys, durations) }
}

function fpsOf({ fps }: JobPlan) {
	if (!fps) throw new UnfitOutputsError('a video output, but the plan has no video')
	return fps
}

const targetOf = (all: readonly SegmentSize[][]): number =>
	Math.max(1, ...all.flat().map(({ seconds }) => Math.round(seconds)))

function writeVideoPlaylist(
	plan: JobPlan,
	stream: RungStream,
	targetSec: number,
	isIFrames: boolean,
): string {
	const segments = stream.segments.map(({ uri, frames, keyBytes }) => {
		return { uri, length: frames, ...(isIFrames && { range: keyBytes }) }
	})
	return writeMediaPlaylist({
		initUri: stream.initUri,
		segments,
		perSecond: fpsOf(plan),
		targetSec,
		isIFrames,
	})
}

function writeAudioPlaylist({ folder, id, segments, sampleRate }: AudioStream, targetSec: number): string {
	return writeMediaPlaylist({
		initUri: `${folder}/${initName(id)}`,
		segments: segments.map(({ samples }, k) => ({
			uri: `${folder}/${segmentName(id, k)}`,
			length: samples,
		})),
		perSecond: { num: sampleRate, den: 1 },
		targetSec,
	})
}

/** Returns the highest bitrate of any selectable audio track. */
const maxAudioRate = (
	audioStreams: readonly AudioStream[],
	rate: (segments: SegmentSize[]) => number,
): number => Math.max(0, ...audioStreams.map(({ sizes }) => rate(sizes)))

const unique = (codecs: readonly string[]): string => [...new Set(codecs)].join(',')

function videoVariant(
	plan: JobPlan,
	each: MeasuredRung,
	audioStreams: AudioStream[],
	targetSec: number,
): Variant {
	const { stream, sizes } = each
	return {
		uri: videoName(stream),
		averageBps: averageOf(sizes) + maxAudioRate(audioStreams, averageOf),
		peakBps: peakOf(sizes, targetSec) + maxAudioRate(audioStreams, (segments) => peakOf(segments, targetSec)),
		codecs: unique([stream.codecs, ...audioStreams.map(({ codecs }) => codecs)]),
		video: { width: stream.width, height: stream.height, fps: fpsOf(plan) },
	}
}

const iframeVariant = (plan: JobPlan, { stream, keys }: MeasuredRung, targetSec: number): Variant => ({
	uri: iframesName(stream),
	averageBps: averageOf(keys),
	peakBps: peakOf(keys, targetSec),
	codecs: stream.codecs,
	video: { width: stream.width, height: stream.height, fps: fpsOf(plan) },
})

const audioVariant = (stream: AudioStream, audioStreams: AudioStream[], targetSec: number): Variant => ({
	uri: audioName(stream),
	averageBps: maxAudioRate(audioStreams, averageOf),
	peakBps: maxAudioRate(audioStreams, (segments) => peakOf(segments, targetSec)),
	codecs: unique(audioStreams.map(({ codecs }) => codecs)),
	video: null,
})

/** Sorts H.264 before other codecs. Within a codec the start variant is first, then by descending quality. */
function inOrder<V extends Variant & { of: RungStream }>(variants: readonly V[]): V[] {
	const distance = ({ averageBps }: V) => Math.abs(averageBps - FIRST_VARIANT_BPS)
	return VideoCodec.options.flatMap((codec) => {
		const own = variants.filter(({ of }) => of.rung.codec === codec)
		const first = own.toSorted((a, b) => distance(a) - distance(b))[0]
		return first ? [first, ...own.filter((variant) => variant !== first)] : []
	})
}

function audioRendition(stream: AudioStream, index: number, all: readonly AudioStream[]): AudioRendition {
	const { track, channels } = stream
	const isFirstOfLanguage = all.findIndex((other) => other.track.language === track.language) === index
	const defaultLanguage = all.find((other) => other.track.isDefault)?.track.language
	return {
		name: track.title ?? track.id,
		language: track.language,
		isDefault: track.isDefault,
		// Players select by language, so only the first track of a language is autoselected.
		isAutoselect: track.isDefault || (isFirstOfLanguage && track.language !== defaultLanguage),
		channels,
		uri: audioName(stream),
	}
}

function storyboardFile(plan: JobPlan, outputs: readonly TaskOutput[]) {
	const isEncoded = plan.rungs.some(({ codec, copied }) => codec === 'h264' && !copied)
	const sheets = isEncoded ? sheetsOfChunks(plan, outputs) : sheetsOfStills(plan, outputs)
	if (!plan.storyboard || !sheets) return null
	return {
		name: STORYBOARD_NAME,
		contentType: VTT_TYPE,
		text: writeStoryboard(plan.storyboard, fpsOf(plan), sheets),
	}
}

function sheetsOfChunks(plan: JobPlan, outputs: readonly TaskOutput[]): PlacedSheet[] | null {
	const chunks = chunkOutputs(plan, outputs, 'h264')
	return (
		chunks?.flatMap(({ folder, result, start }) => {
			if (!result.sheet) throw new UnfitOutputsError(`${folder} has no sheet`)
			const { name, tiles } = result.sheet
			const endFrame = start.frame + result.frames
			return [{ uri: `${folder}/${name}`, tiles, firstFrame: start.frame, endFrame }]
		}) ?? null
	)
}

function sheetsOfStills(plan: JobPlan, outputs: readonly TaskOutput[]): PlacedSheet[] | null {
	const output = outputs.find(({ result }) => result.kind === 'stills')
	if (output?.result.kind !== 'stills' || !plan.storyboard || !plan.fps) return null
	const frames = Math.round((plan.durationSec * plan.fps.num) / plan.fps.den)
	const { everyFrames } = plan.storyboard
	let before = 0
	return output.result.sheets.map(({ name, tiles }, k, all) => {
		const firstFrame = before * everyFrames
		before += tiles
		const endFrame = k + 1 < all.length ? before * everyFrames : frames
		return { uri: `${output.folder}/${name}`, tiles, firstFrame, endFrame }
	})
}
