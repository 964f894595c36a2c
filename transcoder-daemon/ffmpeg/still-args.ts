import type { VideoInfo } from '#schema/contract/video/media-info.ts'
import type { TaskSpecByKind } from '#schema/contract/video/tasks.ts'
import { buildColorFilters, JPEG_COLORS, WEBP_COLORS } from './color.ts'
import { buildFrameTimeFilters } from './frame-times.ts'
import { buildClockArgs, buildInputArgs } from './input.ts'
import { toSeekableSec } from './seek-behavior.ts'

type StillsSpec = TaskSpecByKind<'stills'>
type Size = { width: number; height: number }

/** A part of the video, in seconds on its container's clock. */
export type Clip = { atSec: number; sec: number }

/** Frames per second of the preview. */
export const PREVIEW_FPS = 10
const PREVIEW_SEC = 3
const CLIPS = 6
/** Distance of the poster candidates in preview frames: frames within half a second look alike. */
const POSTER_INTERVAL = 5

/** Returns the clips of the preview: several moments of the video, or the beginning of a short one. */
export function planPreviewClips({
	startSec,
	durationSec,
}: Pick<VideoInfo, 'startSec' | 'durationSec'>): Clip[] {
	if (durationSec < PREVIEW_SEC * 2) return [{ atSec: startSec, sec: Math.min(PREVIEW_SEC, durationSec) }]
	return Array.from({ length: CLIPS }, (_, clip) => ({
		// Skips the very beginning, which is often black.
		atSec: startSec + (durationSec * (clip + 0.5)) / CLIPS,
		sec: PREVIEW_SEC / CLIPS,
	}))
}

export type StillsRun = {
	spec: StillsSpec
	sourcePath: string
	/** How much earlier decoding begins, where a seek may land after the needed key frame. */
	prerollSec: number
}

const seconds = (value: number): string => value.toFixed(6)

/** Returns the seek tolerance: a file's start may precede that of video and audio by up to a second. */
const slackSec = ({ clockSec }: VideoInfo): number => (clockSec === null ? 0 : 1)

/**
 * Whether a clip may begin at the key frame before it, so that no frame is decoded needlessly. That key frame must be
 * its own, and not the video's first.
 */
const beginsAtKeyframe = (
	{ spec: { video }, prerollSec }: StillsRun,
	{ atSec }: Clip,
	clips: readonly Clip[],
): boolean =>
	prerollSec === 0 &&
	video.longestGopSec !== null &&
	video.longestGopSec <= video.durationSec / clips.length &&
	video.longestGopSec < atSec - video.startSec

/** Returns a clip's input arguments, and the filters that select its frames. */
function cutOf(
	run: StillsRun,
	{ atSec, sec }: Clip,
	isKeyed: boolean,
): { input: string[]; filters: string[] } {
	const source = buildInputArgs(run.sourcePath)
	const resetTimes = 'setpts=PTS-STARTPTS'
	if (isKeyed)
		return {
			input: ['-noaccurate_seek', '-ss', seconds(atSec), '-t', seconds(sec), ...source],
			filters: [resetTimes, `trim=end=${seconds(sec)}`],
		}
	const { video } = run.spec
	const from = toSeekableSec(atSec - run.prerollSec)
	const startSec = atSec + (video.clockSec ?? -from)
	const seek = from > 0 ? ['-ss', seconds(from)] : []
	return {
		input: [...seek, '-t', seconds(atSec + sec - from + slackSec(video)), ...source],
		filters: [
			...buildFrameTimeFilters(video, from > 0),
			`trim=start=${seconds(startSec)}:end=${seconds(startSec + sec)}`,
			resetTimes,
		],
	}
}

/** Scales before converting colors: in 4K a tone map costs a hundred times as much. */
const scaleFilters = ({ spec: { video, prepare } }: StillsRun, { width, height }: Size): string[] => [
	...(prepare.deinterlace ? ['bwdif=mode=send_frame:parity=auto:deint=all'] : []),
	`scale=${width}:${height}`,
	'setsar=1',
	...buildColorFilters(video, prepare),
]

const JPEG = ['-c:v', 'mjpeg', '-map_metadata', '-1', '-fflags', '+bitexact', '-f', 'image2pipe']

/**
 * Writes the preview to a file. Some of its frames go to `pipe:3` as small grey samples, to `pipe:4` as posters, and to
 * `pipe:5` as small pictures in RGBA.
 */
export function buildPreviewArgs(
	run: StillsRun,
	clips: readonly Clip[],
	sizes: { sample: Size; small: Size },
	file: string,
): string[] {
	const { sample, small } = sizes
	const { video, poster, preview } = run.spec
	const cuts = clips.map((clip) => cutOf(run, clip, beginsAtKeyframe(run, clip, clips)))
	const parts = cuts.map(({ filters }, input) => {
		const rate = `fps=${PREVIEW_FPS}:eof_action=pass`
		return `[${input}:${video.streamIndex}]${[...filters, rate, ...scaleFilters(run, poster)].join(',')}[c${input}]`
	})
	const joined = clips.map((_, input) => `[c${input}]`).join('')
	const graph = [
		...parts,
		`${joined}concat=n=${clips.length},split[a][some]`,
		`[some]select=not(mod(n\\,${POSTER_INTERVAL})),setpts=N/(${PREVIEW_FPS}*TB),split=3[b][c][d]`,
		`[a]scale=${preview.width}:${preview.height}:${WEBP_COLORS},setsar=1,format=yuv420p[moving]`,
		`[b]scale=${sample.width}:${sample.height}:out_range=pc,format=gray[grey]`,
		`[c]scale=${JPEG_COLORS},format=yuvj420p[posters]`,
		`[d]scale=${small.width}:${small.height},format=rgba[small]`,
	]
	return [
		...buildClockArgs(video),
		...cuts.flatMap(({ input }) => input),
		...['-filter_complex', graph.join(';')],
		...[
			'-map',
			'[moving]',
			'-c:v',
			'libwebp_anim',
			'-quality',
			'50',
			'-compression_level',
			'4',
			'-loop',
			'0',
		],
		...['-map_metadata', '-1', '-f', 'webp', `file:${file}`],
		...['-map', '[grey]', '-f', 'rawvideo', 'pipe:3'],
		...['-map', '[posters]', '-q:v', '3', ...JPEG, 'pipe:4'],
		...['-map', '[small]', '-f', 'rawvideo', 'pipe:5'],
	]
}

/** Writes all sheets in sequence. Decodes only key frames if there is one per thumbnail. */
export function buildSheetsArgs(run: StillsRun, storyboard: NonNullable<StillsSpec['storyboard']>): string[] {
	const { video, fps } = run.spec
	const { everyFrames, tileWidth, tileHeight, columns, tilesPerSheet } = storyboard
	const tileSec = (everyFrames * fps.den) / fps.num
	const isKeyed = video.longestGopSec !== null && video.longestGopSec <= tileSec
	const filters = [
		...buildFrameTimeFilters(video, false, !isKeyed),
		`fps=${fps.num}/${fps.den * everyFrames}:start_time=${seconds(video.clockSec ?? 0)}`,
		...['tpad=stop=-1:stop_mode=clone', `trim=end_frame=${countTiles(storyboard)}`],
		...scaleFilters(run, { width: tileWidth, height: tileHeight }),
		...[
			`scale=${JPEG_COLORS}`,
			'format=yuvj420p',
			`tile=${columns}x${Math.ceil(tilesPerSheet / columns)}[sheets]`,
		],
	]
	return [
		...buildClockArgs(video),
		...(isKeyed ? ['-skip_frame', 'nokey'] : []),
		...buildInputArgs(run.sourcePath),
		...['-filter_complex', `[0:${video.streamIndex}]${filters.join(',')}`],
		...['-map', '[sheets]', '-vsync', 'passthrough', '-q:v', '4', ...JPEG, 'pipe:3'],
	]
}

export const countTiles = ({ frames, everyFrames }: NonNullable<StillsSpec['storyboard']>): number =>
	Math.max(1, Math.ceil(frames / everyFrames))
