import type { Rational, VideoInfo } from '#schema/contract/media-info.ts'
import { type Rung, START_OFFSET_SEC, type Storyboard, type TaskSpecOf } from '#schema/contract/tasks.ts'
import { colorFilters, needsColorWork, outputTags } from './color.ts'
import { type EncoderFamily, encoderArgs, familyOf, uploadFilters } from './encoder-args.ts'
import { clockArgs, inputArgs } from './input.ts'

type VideoSpec = TaskSpecOf<'video'>

/** Ways of decoding on hardware, with the filter that scales where the pictures then are. */
export const hardwareScalers = { cuda: 'scale_cuda', vaapi: 'scale_vaapi', qsv: 'scale_qsv' } as const
export type HardwareDecoder = keyof typeof hardwareScalers

export type VideoRun = {
	spec: VideoSpec
	sourcePath: string
	/** How long before the chunk decoding begins. 0 where a seek lands on a keyframe by itself. */
	prerollSec: number
	/** null: in software. */
	decoder: HardwareDecoder | null
	/** Of encoders and decoders that are told one. */
	devices: Readonly<Record<string, string>>
	/** With the encoder that is used, which may be another one than was asked for. */
	rungs: readonly Rung[]
	threads: number
	/** As far as it is known, so that the sheet is large enough. */
	expectedFrames: number
}

/** The rungs are at `pipe:3` and up, in their order; the sheet, if any, behind them. */
export function videoArgs(run: VideoRun): string[] {
	const { spec, rungs } = run
	return [
		...deviceArgs(run),
		...['-threads', String(run.threads)],
		...clockArgs(spec.video),
		...seekArgs(run),
		...inputArgs(run.sourcePath),
		...['-filter_complex', filterGraph(run)],
		...rungs.flatMap((rung, index) => [
			...['-map', `[v${index}]`, ...encoderArgs(rung, run.threads)],
			...keyframeArgs(run),
			...colorArgs(spec),
			...muxerArgs(spec, 3 + index),
		]),
		...(spec.storyboard ? sheetArgs(3 + rungs.length) : []),
	]
}

/** Hardware can only scale: whatever else a picture needs is done in software, and then decoding is as well. */
export const canStayOnHardware = ({ video, prepare }: VideoSpec): boolean =>
	video.rotation === 0 &&
	!prepare.deinterlace &&
	!needsColorWork(video, prepare) &&
	['h264', 'hevc', 'av1', 'vp9'].includes(video.codec)

/** Decodes there, and leaves the pictures there. */
export const hardwareInput = (decoder: HardwareDecoder, device: string | null): string[] => [
	...(decoder === 'vaapi' && device ? namedDevice(device) : []),
	...['-hwaccel', decoder, '-hwaccel_output_format', decoder],
	...(decoder === 'vaapi' && device ? ['-hwaccel_device', 'gpu'] : []),
]

const namedDevice = (device: string) => ['-init_hw_device', `vaapi=gpu:${device}`, '-filter_hw_device', 'gpu']

function deviceArgs({ decoder, devices, rungs }: VideoRun): string[] {
	const encoder = rungs.find((rung) => familyOf(rung.encoder) === 'vaapi')?.encoder
	const device = devices[encoder ?? ''] ?? devices.vaapi ?? null
	if (decoder) return hardwareInput(decoder, device)
	return encoder && device ? namedDevice(device) : []
}

const seconds = (value: number) => value.toFixed(6)
const secondsOf = (frames: number, { num, den }: Rational) => (frames * den) / num

/** The first frame of a stream may be a little off its place, by what sound needs to begin: that is no reason to double it. */
const JITTER_FRAMES = 0.05

/** Number, on the grid, of the first frame that there is. */
export const gridStartOf = ({ startSec }: Pick<VideoInfo, 'startSec'>, { num, den }: Rational): number =>
	Math.max(0, Math.floor((startSec * num) / den + JITTER_FRAMES))

/** When the chunk begins, on the clock of the container. */
function startSecOf({ video, fps, firstFrame }: VideoSpec): number {
	const phase = video.startSec - secondsOf(gridStartOf(video, fps), fps)
	return secondsOf(firstFrame, fps) + phase
}

/** From the keyframe before the chunk on: what is shown at its beginning may be a frame that began long before. */
function seekSecOf({ spec, prerollSec }: VideoRun): number {
	return spec.firstFrame === 0 ? 0 : Math.max(0, startSecOf(spec) - prerollSec)
}

const seekArgs = (run: VideoRun): string[] =>
	seekSecOf(run) > 0 ? ['-noaccurate_seek', '-ss', seconds(seekSecOf(run))] : []

export function filterGraph(run: VideoRun): string {
	const { spec, rungs, decoder } = run
	const { clockSec } = spec.video
	const first = startSecOf(spec) + (clockSec ?? -seekSecOf(run))
	const grid = [
		...(spec.prepare.deinterlace ? ['bwdif=mode=send_frame:parity=auto:deint=all'] : []),
		// Frames before the first are passed over, but for the one that is still shown then.
		`fps=fps=${spec.fps.num}/${spec.fps.den}:start_time=${seconds(first)}`,
		'setpts=N',
		...(spec.frames === null ? [] : [`trim=end_frame=${spec.frames}`]),
		...(decoder ? [] : colorFilters(spec.video, spec.prepare)),
	]
	const branches = [
		...(decoder
			? rungs.map((rung, index) => `${hardwareRung(rung, decoder, spec).join(',')}[v${index}]`)
			: [softwareRungs(rungs)]),
		...(spec.storyboard ? [`${sheetFilters(spec.storyboard, run).join(',')}[sheet]`] : []),
	]
	const outputs = branches.map((_, index) => `[b${index}]`).join('')
	return [
		`[0:${spec.video.streamIndex}]${grid.join(',')},split=${branches.length}${outputs}`,
		...branches.map((branch, index) => `[b${index}]${branch}`),
	].join(';')
}

/** Each from the one above it, as few pixels are scaled faster than many: half the work of scaling, and it looks the same. */
const softwareRungs = (rungs: readonly Rung[]): string =>
	rungs
		.map(({ width, height, encoder }, index) => {
			const scaled = `scale=${width}:${height},setsar=1`
			const own = `${uploadFilters[familyOf(encoder)].join(',')}[v${index}]`
			const isLast = index === rungs.length - 1
			return isLast
				? `${scaled},${own}`
				: `${scaled},split[s${index}][n${index}];[s${index}]${own};[n${index}]`
		})
		.join('')

function hardwareRung({ width, height, encoder }: Rung, decoder: HardwareDecoder, spec: VideoSpec): string[] {
	const family = familyOf(encoder)
	const scaled = `${hardwareScalers[decoder]}=w=${width}:h=${height}:format=nv12`
	// Where decoder and encoder share their memory, pictures never leave it.
	if (sharedMemory[decoder] === family) return [scaled, 'setsar=1']
	return [
		scaled,
		'hwdownload',
		'format=nv12',
		...colorFilters(spec.video, spec.prepare),
		'setsar=1',
		...uploadFilters[family],
	]
}

const sharedMemory: Record<HardwareDecoder, EncoderFamily> = { cuda: 'nvenc', vaapi: 'vaapi', qsv: 'qsv' }

function sheetFilters(storyboard: Storyboard, run: VideoRun): string[] {
	const { everyFrames, tileWidth, tileHeight, columns } = storyboard
	const download = run.decoder ? ['hwdownload', 'format=nv12'] : []
	return [
		`select=not(mod(n\\,${everyFrames}))`,
		...download,
		`scale=${tileWidth}:${tileHeight}:out_range=pc`,
		'setsar=1',
		'format=yuvj420p',
		`tile=${columns}x${sheetRows(storyboard, run.expectedFrames)}`,
	]
}

export const sheetTiles = ({ everyFrames }: Storyboard, frames: number): number =>
	Math.ceil(frames / everyFrames)

export const sheetRows = (storyboard: Storyboard, frames: number): number =>
	Math.ceil(sheetTiles(storyboard, frames) / storyboard.columns)

/** Keyframes at the cuts, and nowhere else. */
function keyframeArgs({ spec, expectedFrames }: VideoRun): string[] {
	const cuts = spec.cuts.map((cut) => cut - spec.firstFrame)
	const lengths = cuts.map((cut, index) => (cuts[index + 1] ?? expectedFrames) - cut)
	const times = cuts.map((cut) => seconds(secondsOf(cut, spec.fps)))
	return ['-g', String(Math.max(1, ...lengths)), '-force_key_frames', times.join(',')]
}

function colorArgs({ video, prepare }: VideoSpec): string[] {
	const { matrix, primaries, transfer } = outputTags(video, prepare)
	return [
		...['-colorspace', matrix, '-color_primaries', primaries, '-color_trc', transfer],
		...['-color_range', 'tv'],
	]
}

/** At least so fine; a frame is a whole number of ticks, so that times never have to be rounded. */
const MIN_TIMESCALE = 12_000

export const timescaleOf = ({ num }: Rational): number => num * Math.ceil(MIN_TIMESCALE / num)

const FRAGMENTED = '+frag_keyframe+empty_moov+default_base_moof+frag_discont+skip_trailer'

/** The same for every chunk, whichever machine makes it, but for the time it begins at. */
const muxerArgs = ({ fps, firstFrame }: VideoSpec, fd: number): string[] => [
	...['-map_metadata', '-1', '-map_chapters', '-1', '-fflags', '+bitexact'],
	...['-video_track_timescale', String(timescaleOf(fps)), '-use_editlist', '0'],
	...['-output_ts_offset', seconds(START_OFFSET_SEC + secondsOf(firstFrame, fps))],
	...['-avoid_negative_ts', 'disabled', '-movflags', FRAGMENTED, '-f', 'mp4', `pipe:${fd}`],
]

const sheetArgs = (fd: number): string[] => [
	...['-map', '[sheet]', '-frames:v', '1', '-c:v', 'mjpeg', '-q:v', '4'],
	...['-map_metadata', '-1', '-fflags', '+bitexact', '-f', 'image2pipe', `pipe:${fd}`],
]

/** As the source says; a file may be wrong about it. */
export function expectedFramesOf({ frames, firstFrame, fps, video }: VideoSpec): number {
	return frames ?? Math.max(1, totalFramesOf(video, fps) - firstFrame)
}

function totalFramesOf(video: VideoInfo, fps: Rational): number {
	return gridStartOf(video, fps) + Math.round((video.durationSec * fps.num) / fps.den)
}
