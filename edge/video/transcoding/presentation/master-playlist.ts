import { VideoCodec } from '#schema/contract/video/tasks.ts'
import { computeAverageRateBps, computePeakRateBps, type SegmentSize } from '../plan/bitrates.ts'
import { playlistName } from './layout.ts'
import { type AudioRendition, type Variant, writeMaster } from './playlists.ts'
import type { AudioStream, MeasuredRung, PresentationModel } from './presentation-model.ts'
import { type RungStream, requireFps } from './rung-streams.ts'

/** Players start with the first variant; about this bitrate suits most connections. */
const FIRST_VARIANT_BPS = 2_000_000

export const audioName = ({ id }: AudioStream): string => playlistName(id)
export const videoName = ({ rung }: RungStream): string => playlistName(rung.id)
export const iframesName = ({ rung }: RungStream): string => `${rung.id}-iframes.m3u8`

type RungVariant = Variant & { of: RungStream }

export function writeMasterPlaylist(model: PresentationModel): string {
	const { audioStreams, rungs, fps } = model
	const variants = fps
		? inOrder(rungs.map((rung) => videoVariant(rung, model)))
		: audioStreams.filter(({ track }) => track.isDefault).map((stream) => audioVariant(stream, model))
	const renditions = fps || audioStreams.length > 1 ? audioStreams.map(audioRendition) : []
	const iframes = rungs.map((rung) => iframeVariant(rung, model))
	return writeMaster(renditions, variants, iframes)
}

/** Returns the highest bitrate of any selectable audio track. */
const maxAudioRate = (
	audioStreams: readonly AudioStream[],
	rate: (segments: SegmentSize[]) => number,
): number => Math.max(0, ...audioStreams.map(({ sizes }) => rate(sizes)))

const unique = (codecs: readonly string[]): string => [...new Set(codecs)].join(',')

function videoVariant(
	{ stream, sizes }: MeasuredRung,
	{ audioStreams, targetSec, fps }: PresentationModel,
): RungVariant {
	return {
		of: stream,
		uri: videoName(stream),
		averageBps: computeAverageRateBps(sizes) + maxAudioRate(audioStreams, computeAverageRateBps),
		peakBps:
			computePeakRateBps(sizes, targetSec) +
			maxAudioRate(audioStreams, (segments) => computePeakRateBps(segments, targetSec)),
		codecs: unique([stream.codecs, ...audioStreams.map(({ codecs }) => codecs)]),
		video: { width: stream.width, height: stream.height, fps: requireFps({ fps }) },
	}
}

const iframeVariant = ({ stream, keys }: MeasuredRung, { targetSec, fps }: PresentationModel): Variant => ({
	uri: iframesName(stream),
	averageBps: computeAverageRateBps(keys),
	peakBps: computePeakRateBps(keys, targetSec),
	codecs: stream.codecs,
	video: { width: stream.width, height: stream.height, fps: requireFps({ fps }) },
})

const audioVariant = (stream: AudioStream, { audioStreams, targetSec }: PresentationModel): Variant => ({
	uri: audioName(stream),
	averageBps: maxAudioRate(audioStreams, computeAverageRateBps),
	peakBps: maxAudioRate(audioStreams, (segments) => computePeakRateBps(segments, targetSec)),
	codecs: unique(audioStreams.map(({ codecs }) => codecs)),
	video: null,
})

/** Sorts H.264 before other codecs. Within a codec the start variant is first, then by descending quality. */
function inOrder(variants: readonly RungVariant[]): RungVariant[] {
	const distance = ({ averageBps }: RungVariant) => Math.abs(averageBps - FIRST_VARIANT_BPS)
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
