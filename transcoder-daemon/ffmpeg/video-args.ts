import type { Rational, VideoInfo } from '#schema/contract/video/media-info.ts'
import {
	type Rung,
	START_OFFSET_SEC,
	type Storyboard,
	type TaskSpecByKind,
} from '#schema/contract/video/tasks.ts'
import { SHOT_PICTURE } from '../shots/shot-cuts.ts'
import { buildColorFilters, chooseOutputTags, JPEG_COLORS, needsColorWork } from './color.ts'
import { buildEncoderArgs, type EncoderFamily, findEncoderFamily, uploadFilters } from './encoder-args.ts'
import { buildFrameTimeFilters } from './frame-times.ts'
import { buildClockArgs, buildInputArgs } from './input.ts'
import { toSeekableSec } from './seek-behavior.ts'

type VideoSpec = TaskSpecByKind<'video'>

/** For each hardware decoder, the filter that scales frames without copying them out of the memory of the graphics card. */
export const hardwareScalers = { cuda: 'scale_cuda', vaapi: 'scale_vaapi', qsv: 'scale_qsv' } as const
export type HardwareDecoder = keyof typeof hardwareScalers
export const hardwareDecoders = Object.keys(hardwareScalers) as HardwareDecoder[]

/** Whether an encoder reads the memory of a decoder. For others, decoding on hardware saves nothing (decision 55). */
export const canShareMemory = (decoder: HardwareDecoder, encoder: string): boolean =>
	sharedMemory[decoder] === findEncoderFamily(encoder)

export type VideoRun = {
	spec: VideoSpec
	sourcePath: string
	/** How long before the chunk decoding starts; 0 where a seek lands on a keyframe. */
	prerollSec: number
	/** null: software decoding. */
	decoder: HardwareDecoder | null
	/** Devices of encoders that need one. */
	devices: Readonly<Record<string, string>>
	/** Rungs with the encoder in use, which may differ from the requested one. */
	rungs: readonly Rung[]
	threads: number
	/** Estimated, so that the sheet is large enough. */
	expectedFrames: number
}

/** Returns the arguments for a chunk: rungs at `pipe:3` and up in their order, then sheet and grey pictures, if any. */
export function buildVideoArgs(run: VideoRun): string[] {
	const { spec, rungs } = run
	return [
		...buildDeviceArgs(run),
		...['-threads', String(run.threads)],
		...buildClockArgs(spec.video),
		...seekArgs(run),
		...buildInputArgs(run.sourcePath),
		...['-filter_complex', buildFilterGraph(run)],
		...rungs.flatMap((rung, index) => [
			...['-map', `[v${index}]`, ...buildEncoderArgs(rung, run.threads)],
			...keyframeArgs(run),
			...colorArgs(spec),
			...muxerArgs(spec, 3 + index),
		]),
		...(spec.storyboard ? sheetArgs(3 + rungs.length) : []),
		...(canFindShots(run) ? ['-map', '[grey]', '-f', 'rawvideo', `pipe:${4 + rungs.length}`] : []),
	]
}

/**
 * Whether shot detection is possible: small grey frames are made once per video, and never where frames would be
 * copied from GPU memory.
 */
export const canFindShots = ({ spec, decoder }: Pick<VideoRun, 'spec' | 'decoder'>): boolean =>
	spec.storyboard !== null && decoder === null

/** Whether hardware decoding is possible: hardware can only scale, so any other filter requires software decoding. */
export const canStayOnHardware = ({ video, prepare }: VideoSpec): boolean =>
	video.rotation === 0 &&
	!prepare.deinterlace &&
	!needsColorWork(video, prepare) &&
	['h264', 'hevc', 'av1', 'vp9'].includes(video.codec)

/** Returns arguments that decode on hardware and keep the frames there. */
export const buildHardwareInput = (decoder: HardwareDecoder, device: string | null): string[] => [
	...(decoder === 'vaapi' && device ? deviceOptions(device) : []),
	...['-hwaccel', decoder, '-hwaccel_output_format', decoder],
	...(decoder === 'vaapi' && device ? ['-hwaccel_device', 'gpu'] : []),
]

const deviceOptions = (device: string) => [
	'-init_hw_device',
	`vaapi=gpu:${device}`,
	'-filter_hw_device',
	'gpu',
]

export function buildDeviceArgs({
	decoder,
	devices,
	rungs,
}: Pick<VideoRun, 'decoder' | 'devices' | 'rungs'>): string[] {
	const encoder = rungs.find((rung) => findEncoderFamily(rung.encoder) === 'vaapi')?.encoder
	const device = devices[encoder ?? ''] ?? null
	if (decoder) return buildHardwareInput(decoder, device)
	return encoder && device ? deviceOptions(device) : []
}

const seconds = (value: number) => value.toFixed(6)
const secondsOf = (frames: number, { num, den }: Rational) => (frames * den) / num

/** A stream may start slightly late because of the audio; its first frame need not be duplicated for that. */
const JITTER_FRAMES = 0.05

/** Returns the grid number of the first existing frame. */
export const findFirstGridFrame = (
	{ startSec }: Pick<VideoInfo, 'startSec'>,
	{ num, den }: Rational,
): number => Math.max(0, Math.floor((startSec * num) / den + JITTER_FRAMES))

/** Returns the chunk's start on the container's clock. */
function startSecOf({ video, fps, firstFrame }: VideoSpec): number {
	const phase = video.startSec - secondsOf(findFirstGridFrame(video, fps), fps)
	return secondsOf(firstFrame, fps) + phase
}

/**
 * Returns where to seek. Decoding starts before the chunk, since the frame shown at its start may begin much earlier.
 */
function seekSecOf({ spec, prerollSec }: VideoRun): number {
	return spec.firstFrame === 0 ? 0 : toSeekableSec(startSecOf(spec) - prerollSec)
}

const seekArgs = (run: VideoRun): string[] =>
	seekSecOf(run) > 0 ? ['-noaccurate_seek', '-ss', seconds(seekSecOf(run))] : []

export function buildFilterGraph(run: VideoRun): string {
	const { spec, rungs, decoder } = run
	const { clockSec } = spec.video
	const first = startSecOf(spec) + (clockSec ?? -seekSecOf(run))
	const grid = [
		...buildFrameTimeFilters(spec.video, seekSecOf(run) > 0),
		...(spec.prepare.deinterlace ? ['bwdif=mode=send_frame:parity=auto:deint=all'] : []),
		// Drops frames before the start, except the one still shown then.
		`fps=fps=${spec.fps.num}/${spec.fps.den}:start_time=${seconds(first)}`,
		'setpts=N',
		...(spec.frames === null ? [] : [`trim=end_frame=${spec.frames}`]),
		...(decoder ? [] : buildColorFilters(spec.video, spec.prepare)),
	]
	const branches = [
		...(decoder
			? rungs.map(
					({ width, height }, index) =>
						`${hardwareScalers[decoder]}=w=${width}:h=${height}:format=nv12,setsar=1[v${index}]`,
				)
			: [softwareRungs(rungs, canFindShots(run))]),
		...(spec.storyboard ? [`${sheetFilters(spec.storyboard, run).join(',')}[sheet]`] : []),
	]
	const outputs = branches.map((_, index) => `[b${index}]`).join('')
	return [
		`[0:${spec.video.streamIndex}]${grid.join(',')},split=${branches.length}${outputs}`,
		...branches.map((branch, index) => `[b${index}]${branch}`),
	].join(';')
}

const GREY = `scale=${SHOT_PICTURE.width}:${SHOT_PICTURE.height}:out_range=pc,format=gray[grey]`

/** Scales each rung from the one above it, which halves the work and looks the same. Grey pictures follow the last. */
const softwareRungs = (rungs: readonly Rung[], hasGrey: boolean): string =>
	rungs
		.map(({ width, height, encoder }, index) => {
			const scaleFilter = `scale=${width}:${height},setsar=1`
			const own = `${uploadFilters[findEncoderFamily(encoder)].join(',')}[v${index}]`
			const isLast = index === rungs.length - 1
			if (isLast)
				return hasGrey
					? `${scaleFilter},split[last][small];[small]${GREY};[last]${own}`
					: `${scaleFilter},${own}`
			return `${scaleFilter},split[s${index}][n${index}];[s${index}]${own};[n${index}]`
		})
		.join('')

const sharedMemory: Record<HardwareDecoder, EncoderFamily> = { cuda: 'nvenc', vaapi: 'vaapi', qsv: 'qsv' }

function sheetFilters(storyboard: Storyboard, run: VideoRun): string[] {
	const { everyFrames, tileWidth, tileHeight, columns } = storyboard
	const download = run.decoder ? ['hwdownload', 'format=nv12'] : []
	return [
		`select=not(mod(n\\,${everyFrames}))`,
		...download,
		`scale=${tileWidth}:${tileHeight}:${JPEG_COLORS}`,
		'setsar=1',
		'format=yuvj420p',
		`tile=${columns}x${countSheetRows(storyboard, run.expectedFrames)}`,
	]
}

export const listSheetTiles = ({ everyFrames }: Storyboard, frames: number): number =>
	Math.ceil(frames / everyFrames)

export const countSheetRows = (storyboard: Storyboard, frames: number): number =>
	Math.ceil(listSheetTiles(storyboard, frames) / storyboard.columns)

/** Forces keyframes at the cuts and nowhere else. */
function keyframeArgs({ spec, expectedFrames }: VideoRun): string[] {
	const cuts = spec.cuts.map((cut) => cut - spec.firstFrame)
	const lengths = cuts.map((cut, index) => (cuts[index + 1] ?? expectedFrames) - cut)
	const times = cuts.map((cut) => seconds(secondsOf(cut, spec.fps)))
	return ['-g', String(Math.max(1, ...lengths)), '-force_key_frames', times.join(',')]
}

function colorArgs({ video, prepare }: VideoSpec): string[] {
	const { matrix, primaries, transfer } = chooseOutputTags(video, prepare)
	return [
		...['-colorspace', matrix, '-color_primaries', primaries, '-color_trc', transfer],
		...['-color_range', 'tv'],
	]
}

/** Minimum ticks per second. A frame is a whole number of ticks, so that times are never rounded. */
const MIN_TIMESCALE = 12_000

export const chooseVideoTimescale = ({ num }: Rational): number => num * Math.ceil(MIN_TIMESCALE / num)

const FRAGMENTED = '+frag_keyframe+empty_moov+default_base_moof+frag_discont+skip_trailer'

/** Identical for every chunk on every machine, except for the start time. */
const muxerArgs = ({ fps, firstFrame }: VideoSpec, fd: number): string[] => [
	...['-map_metadata', '-1', '-map_chapters', '-1', '-fflags', '+bitexact'],
	...['-video_track_timescale', String(chooseVideoTimescale(fps)), '-use_editlist', '0'],
	...['-output_ts_offset', seconds(START_OFFSET_SEC + secondsOf(firstFrame, fps))],
	...['-avoid_negative_ts', 'disabled', '-movflags', FRAGMENTED, '-f', 'mp4', `pipe:${fd}`],
]

const sheetArgs = (fd: number): string[] => [
	...['-map', '[sheet]', '-frames:v', '1', '-c:v', 'mjpeg', '-q:v', '4'],
	...['-map_metadata', '-1', '-fflags', '+bitexact', '-f', 'image2pipe', `pipe:${fd}`],
]

/** Returns the number of frames in the source, which may be wrong. */
export function countExpectedFrames({ frames, firstFrame, fps, video }: VideoSpec): number {
	return frames ?? Math.max(1, totalFramesOf(video, fps) - firstFrame)
}

function totalFramesOf(video: VideoInfo, fps: Rational): number {
	return findFirstGridFrame(video, fps) + Math.round((video.durationSec * fps.num) / fps.den)
}
