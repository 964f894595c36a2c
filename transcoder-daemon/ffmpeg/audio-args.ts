import {
	type AudioFile,
	type AudioTrack,
	canCopyTrack,
	START_OFFSET_SEC,
	type TaskSpecByKind,
	UNIT_SAMPLES,
} from '#schema/contract/video/tasks.ts'
import { buildClockArgs, buildInputArgs } from './input.ts'
import { buildNormalizeFilter, type Loudness, measureFilter } from './loudness.ts'

type AudioSpec = TaskSpecByKind<'audio'>

/** A file of the default track, and its path. */
export type FileTarget = { file: AudioFile; path: string }

/** Returns the number of access units that ends a track as close as possible to the end of the video. */
export const countAccessUnits = (durationSec: number, sampleRate: number): number =>
	Math.max(1, Math.round((durationSec * sampleRate) / UNIT_SAMPLES))

/** Returns the track that files are made from. */
export function findDefaultTrack({ tracks }: AudioSpec): AudioTrack {
	const [first] = tracks
	const track = tracks.find(({ source }) => source.isDefault) ?? first
	if (!track) throw new Error('the task has no audio track')
	return track
}

/** Returns the segmented tracks. ffmpeg writes the first one to `pipe:3`, the next one to `pipe:4`, and so on. */
export const listSegmentedTracks = ({ tracks, filesOnly }: AudioSpec): AudioTrack[] =>
	filesOnly ? [] : tracks

/**
 * Builds the arguments for segments at `pipe:3` and up, files of the default track, and its loudness and samples for peaks
 * if requested. The samples come from the pipe after the segments.
 * Each track is decoded once, or not at all if it is copied. A file reuses the packets of an identical track.
 */
export function buildAudioArgs(
	spec: AudioSpec,
	sourcePath: string,
	files: readonly FileTarget[],
	measuresLoudness: boolean,
): string[] {
	const fileTrack = findDefaultTrack(spec)
	const segmented = listSegmentedTracks(spec)
	const sharedFile = segmented.includes(fileTrack)
		? files.find(({ file }) => canCopyTrack(fileTrack, file))
		: undefined
	const others = files.filter((target) => target !== sharedFile)
	const graphs: string[] = []
	for (const track of spec.tracks) {
		const branches = segmented.includes(track) && !track.isCopied ? [`anull[${track.id}]`] : []
		if (track === fileTrack) {
			branches.push(...others.map(({ file }, number) => `${fileFilters(file).join(',')}[file${number}]`))
			if (measuresLoudness) branches.push(`${measureFilter}[loudness]`)
			if (spec.peaks !== undefined) branches.push(`${peakFilter}[peaks]`)
		}
		if (branches.length > 0) graphs.push(splitTo(soundFilters(spec, track), branches, track.id))
	}
	const outputs = segmented.flatMap((track, index) => [
		...(track.isCopied ? copyArgs(spec, track) : ['-map', `[${track.id}]`, ...encoderArgs(track)]),
		...segmentArgs(3 + index, track === fileTrack ? sharedFile : undefined),
	])
	for (const [number, target] of others.entries())
		outputs.push('-map', `[file${number}]`, ...fileArgs(target))
	if (measuresLoudness) outputs.push('-map', '[loudness]', '-f', 'null', '-')
	if (spec.peaks !== undefined)
		outputs.push('-map', '[peaks]', '-c:a', 'pcm_s16le', '-f', 's16le', `pipe:${3 + segmented.length}`)
	return [
		// ffmpeg prints the loudness at this level.
		...(measuresLoudness ? ['-loglevel', 'info'] : []),
		...buildClockArgs(fileTrack.source),
		...buildInputArgs(sourcePath),
		...(graphs.length > 0 ? ['-filter_complex', graphs.join(';')] : []),
		...outputs,
	]
}

/** Returns the arguments for normalized files, once the loudness is known; silence stays as it is. */
export function buildNormalizedArgs(
	spec: AudioSpec,
	sourcePath: string,
	files: readonly FileTarget[],
	loudness: Loudness | null,
): string[] {
	const filters = [
		...soundFilters(spec, findDefaultTrack(spec)),
		...(loudness ? [buildNormalizeFilter(loudness)] : []),
	]
	const branches = files.map(({ file }, number) => `${fileFilters(file).join(',')}[file${number}]`)
	return [
		...buildClockArgs(findDefaultTrack(spec).source),
		...buildInputArgs(sourcePath),
		...['-filter_complex', splitTo(filters, branches, 'n')],
		...files.flatMap((target, number) => ['-map', `[file${number}]`, ...fileArgs(target)]),
	]
}

function splitTo(filters: readonly string[], branches: readonly string[], name: string): string {
	const outputs = branches.map((_, index) => `[${name}b${index}]`)
	const split = `${filters.join(',')},asplit=${branches.length}${outputs.join('')}`
	return [split, ...branches.map((branch, index) => `${outputs[index]}${branch}`)].join(';')
}

/**
 * Aligns the audio with the container's start: pads the beginning and gaps with silence, and cuts what lies before 0.
 * Then matches its length to the video.
 */
function soundFilters({ durationSec }: AudioSpec, { source, sampleRate, channels }: AudioTrack): string[] {
	const samples = durationSec === null ? null : countAccessUnits(durationSec, sampleRate) * UNIT_SAMPLES
	const fromZero = source.clockSec === null ? '' : `asetpts=PTS-${source.clockSec.toFixed(6)}/TB,`
	return [
		`[0:${source.streamIndex}]${fromZero}aresample=${sampleRate}:async=1:first_pts=0:rematrix_maxval=1`,
		layoutFilter(channels, source.channels),
		...(samples === null ? [] : [`apad=whole_len=${samples}`, `atrim=end_sample=${samples}`]),
	]
}

/** Copies one channel to both sides unchanged; ffmpeg's own conversion halves its loudness. */
const layoutFilter = (channels: number, from: number): string =>
	channels === 2 && from === 1
		? 'aformat=channel_layouts=mono,pan=stereo|c0=c0|c1=c0'
		: `aformat=channel_layouts=${channels === 1 ? 'mono' : 'stereo'}`

const OPUS_RATES = [8_000, 12_000, 16_000, 24_000, 48_000]

function fileFilters({ codec, sampleRate, channels }: AudioFile): string[] {
	const rate = codec === 'opus' ? (OPUS_RATES.find((each) => each >= sampleRate) ?? 48_000) : sampleRate
	return [
		`aresample=${rate}:rematrix_maxval=1`,
		`aformat=channel_layouts=${channels === 1 ? 'mono' : 'stereo'}`,
	]
}

/** Samples per second that peaks are measured from. */
export const PEAK_SAMPLE_RATE = 8_000

const peakFilter = `aresample=${PEAK_SAMPLE_RATE}:rematrix_maxval=1,aformat=sample_fmts=s16:channel_layouts=mono`

const noMetadata = ['-map_metadata', '-1', '-map_chapters', '-1', '-fflags', '+bitexact']

/** One fragment per access unit, since the daemon itself cuts segments at the video's cuts. */
const FRAGMENT_PER_UNIT = '+frag_every_frame+empty_moov+default_base_moof+frag_discont+skip_trailer'

const SEGMENT_OPTIONS = {
	use_editlist: '0',
	output_ts_offset: String(START_OFFSET_SEC),
	avoid_negative_ts: 'disabled',
	movflags: FRAGMENT_PER_UNIT,
}

const encoderArgs = ({ bitrateKbps }: AudioTrack): string[] => [
	...['-c:a', 'aac', '-profile:a', 'aac_low', '-b:a', `${bitrateKbps}k`, '-flags:a', '+global_header'],
]

/** Ends the file at the end of the video; segments are cut there anyway. */
const copyArgs = ({ durationSec }: AudioSpec, { source }: AudioTrack): string[] => [
	...['-map', `0:${source.streamIndex}`, '-c:a', 'copy'],
	...(durationSec === null ? [] : ['-t', durationSec.toFixed(6)]),
]

const segmentArgs = (fd: number, sharedFile: FileTarget | undefined): string[] => [
	...noMetadata,
	...(sharedFile
		? [
				'-f',
				'tee',
				`${teeTarget(`pipe:${fd}`, 'mp4', SEGMENT_OPTIONS)}|${teeTarget(`file:${sharedFile.path}`, 'ipod', FILE_OPTIONS)}`,
			]
		: [
				...Object.entries(SEGMENT_OPTIONS).flatMap(([name, value]) => [`-${name}`, value]),
				'-f',
				'mp4',
				`pipe:${fd}`,
			]),
]

/** Returns one target of the tee muxer. */
function teeTarget(to: string, format: string, options: Readonly<Record<string, string>>): string {
	const optionList = Object.entries({ f: format, ...options }).map(([name, value]) => `${name}=${value}`)
	return `[${optionList.join(':')}]${to.replace(/[\\'|]/g, '\\$&')}`
}

/** MP4 with the brand that marks audio-only files. */
const FILE_OPTIONS = { movflags: '+faststart' }

const formats = {
	aac: ['-c:a', 'aac', '-profile:a', 'aac_low', '-movflags', FILE_OPTIONS.movflags, '-f', 'ipod'],
	opus: ['-c:a', 'libopus', '-f', 'ogg'],
	flac: ['-c:a', 'flac', '-f', 'flac'],
} as const

export const fileExtensions = { aac: 'm4a', opus: 'opus', flac: 'flac' } as const

const fileArgs = ({ file: { codec, bitrateKbps }, path }: FileTarget): string[] => [
	...noMetadata,
	...(bitrateKbps === null || codec === 'flac' ? [] : ['-b:a', `${bitrateKbps}k`]),
	...formats[codec],
	`file:${path}`,
]
