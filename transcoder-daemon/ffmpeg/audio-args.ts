import {
	type AudioFile,
	type AudioTrack,
	isSoundOf,
	START_OFFSET_SEC,
	type TaskSpecOf,
	UNIT_SAMPLES,
} from '#schema/contract/tasks.ts'
import { clockArgs, inputArgs } from './input.ts'
import { type Loudness, measureFilter, normalizeFilter } from './loudness.ts'

type AudioSpec = TaskSpecOf<'audio'>

/** A file of the default track, where it is written. */
export type FileTarget = { file: AudioFile; path: string }

/** Of a track, so many access units that it ends as near to the picture's end as they can. */
export const unitsOf = (durationSec: number, sampleRate: number): number =>
	Math.max(1, Math.round((durationSec * sampleRate) / UNIT_SAMPLES))

/** The track that files are made of. */
export function defaultTrackOf({ tracks }: AudioSpec): AudioTrack {
	const [first] = tracks
	const track = tracks.find(({ source }) => source.isDefault) ?? first
	if (!track) throw new Error('no track of sound')
	return track
}

/** The tracks that become segments, in the order of their pipes. */
export const segmentedTracks = ({ tracks, filesOnly }: AudioSpec): AudioTrack[] => (filesOnly ? [] : tracks)

/**
 * One decode of each track, or none where it is copied: segments at `pipe:3` and up, files of the default track, and its
 * loudness if asked. A file whose sound is the very one of the track gets the same packets.
 */
export function audioArgs(
	spec: AudioSpec,
	sourcePath: string,
	files: readonly FileTarget[],
	measuresLoudness: boolean,
): string[] {
	const filed = defaultTrackOf(spec)
	const segmented = segmentedTracks(spec)
	const same = segmented.includes(filed) ? files.find(({ file }) => isSoundOf(filed, file)) : undefined
	const others = files.filter((target) => target !== same)
	const graphs: string[] = []
	for (const track of spec.tracks) {
		const branches = segmented.includes(track) && !track.isCopied ? [`anull[${track.id}]`] : []
		if (track === filed) {
			branches.push(...others.map(({ file }, number) => `${fileFilters(file).join(',')}[file${number}]`))
			if (measuresLoudness) branches.push(`${measureFilter}[loudness]`)
		}
		if (branches.length > 0) graphs.push(splitTo(soundFilters(spec, track), branches, track.id))
	}
	const outputs = segmented.flatMap((track, index) => [
		...(track.isCopied ? copyArgs(spec, track) : ['-map', `[${track.id}]`, ...encoderArgs(track)]),
		...segmentArgs(3 + index, track === filed ? same : undefined),
	])
	for (const [number, target] of others.entries())
		outputs.push('-map', `[file${number}]`, ...fileArgs(target))
	if (measuresLoudness) outputs.push('-map', '[loudness]', '-f', 'null', '-')
	return [
		// The loudness is told at this level.
		...(measuresLoudness ? ['-loglevel', 'info'] : []),
		...clockArgs(filed.source),
		...inputArgs(sourcePath),
		...(graphs.length > 0 ? ['-filter_complex', graphs.join(';')] : []),
		...outputs,
	]
}

/** The files that are made as loud as others, once it is known how loud they are; silence stays as it is. */
export function normalizedArgs(
	spec: AudioSpec,
	sourcePath: string,
	files: readonly FileTarget[],
	loudness: Loudness | null,
): string[] {
	const filters = [
		...soundFilters(spec, defaultTrackOf(spec)),
		...(loudness ? [normalizeFilter(loudness)] : []),
	]
	const branches = files.map(({ file }, number) => `${fileFilters(file).join(',')}[file${number}]`)
	return [
		...clockArgs(defaultTrackOf(spec).source),
		...inputArgs(sourcePath),
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
 * From the container's beginning on, whenever the sound begins: silence is put before it, and into gaps, and what
 * stands before is cut off. Then it is made as long as the picture.
 */
function soundFilters({ durationSec }: AudioSpec, { source, sampleRate, channels }: AudioTrack): string[] {
	const samples = durationSec === null ? null : unitsOf(durationSec, sampleRate) * UNIT_SAMPLES
	const fromZero = source.clockSec === null ? '' : `asetpts=PTS-${source.clockSec.toFixed(6)}/TB,`
	return [
		`[0:${source.streamIndex}]${fromZero}aresample=${sampleRate}:async=1:first_pts=0:rematrix_maxval=1`,
		layoutFilter(channels, source.channels),
		...(samples === null ? [] : [`apad=whole_len=${samples}`, `atrim=end_sample=${samples}`]),
	]
}

/** One channel goes to both sides as it is; what ffmpeg does by itself makes it half as loud. */
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

const anonymous = ['-map_metadata', '-1', '-map_chapters', '-1', '-fflags', '+bitexact']

/** Each access unit in a fragment of its own: they are put together here, at the cuts of the pictures. */
const UNIT_BY_UNIT = '+frag_every_frame+empty_moov+default_base_moof+frag_discont+skip_trailer'

/** What the muxer of segments is told. */
const PIECES = {
	use_editlist: '0',
	output_ts_offset: String(START_OFFSET_SEC),
	avoid_negative_ts: 'disabled',
	movflags: UNIT_BY_UNIT,
}

const encoderArgs = ({ bitrateKbps }: AudioTrack): string[] => [
	...['-c:a', 'aac', '-profile:a', 'aac_low', '-b:a', `${bitrateKbps}k`, '-flags:a', '+global_header'],
]

/** To the picture's end, for the file: segments are cut off there anyway. */
const copyArgs = ({ durationSec }: AudioSpec, { source }: AudioTrack): string[] => [
	...['-map', `0:${source.streamIndex}`, '-c:a', 'copy'],
	...(durationSec === null ? [] : ['-t', durationSec.toFixed(6)]),
]

const segmentArgs = (fd: number, same: FileTarget | undefined): string[] => [
	...anonymous,
	...(same
		? ['-f', 'tee', `${teeTo(`pipe:${fd}`, 'mp4', PIECES)}|${teeTo(`file:${same.path}`, 'ipod', WHOLE)}`]
		: [...Object.entries(PIECES).flatMap(([name, value]) => [`-${name}`, value]), '-f', 'mp4', `pipe:${fd}`]),
]

/** One of several that get the same packets. */
function teeTo(to: string, format: string, options: Readonly<Record<string, string>>): string {
	const told = Object.entries({ f: format, ...options }).map(([name, value]) => `${name}=${value}`)
	return `[${told.join(':')}]${to.replace(/[\\'|]/g, '\\$&')}`
}

/** Plain MP4 but for its brand, which tells players that there is only sound in it. */
const WHOLE = { movflags: '+faststart' }

const formats = {
	aac: ['-c:a', 'aac', '-profile:a', 'aac_low', '-movflags', WHOLE.movflags, '-f', 'ipod'],
	opus: ['-c:a', 'libopus', '-f', 'ogg'],
	flac: ['-c:a', 'flac', '-f', 'flac'],
} as const

export const fileExtensions = { aac: 'm4a', opus: 'opus', flac: 'flac' } as const

const fileArgs = ({ file: { codec, bitrateKbps }, path }: FileTarget): string[] => [
	...anonymous,
	...(bitrateKbps === null || codec === 'flac' ? [] : ['-b:a', `${bitrateKbps}k`]),
	...formats[codec],
	`file:${path}`,
]
