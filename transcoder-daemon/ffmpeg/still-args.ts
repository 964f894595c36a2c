import type { VideoInfo } from '#schema/contract/media-info.ts'
import type { TaskSpecOf } from '#schema/contract/tasks.ts'
import { colorFilters } from './color.ts'
import { clockArgs, inputArgs } from './input.ts'

type StillsSpec = TaskSpecOf<'stills'>
type Size = { width: number; height: number }

/** A stretch of the video, in seconds on the clock of its container. */
export type Clip = { atSec: number; sec: number }

/** Pictures in a second of the preview. */
export const PREVIEW_FPS = 10
const PREVIEW_SEC = 3
const CLIPS = 6
/** One in so many pictures of the preview may be the poster: the others of half a second look the same. */
const EVERY_FOR_POSTER = 5

/** Where the preview looks into the video: a few moments spread over it; of a short one its beginning. */
export function clipsOf({ startSec, durationSec }: Pick<VideoInfo, 'startSec' | 'durationSec'>): Clip[] {
	if (durationSec < PREVIEW_SEC * 2) return [{ atSec: startSec, sec: Math.min(PREVIEW_SEC, durationSec) }]
	return Array.from({ length: CLIPS }, (_, clip) => ({
		// Not the very beginning, which is black as often as not.
		atSec: startSec + (durationSec * (clip + 0.5)) / CLIPS,
		sec: PREVIEW_SEC / CLIPS,
	}))
}

export type StillsRun = {
	spec: StillsSpec
	sourcePath: string
	/** So much earlier decoding begins, where a seek may land behind the key frame it needs. */
	prerollSec: number
}

const seconds = (value: number): string => value.toFixed(6)

/**
 * A clip may as well begin at the key frame before it, so that nothing is decoded in vain: if that is its own, and not
 * the video's first.
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

/** How a clip is read, and what is kept of what is decoded. */
function cutOf(
	run: StillsRun,
	{ atSec, sec }: Clip,
	isKeyed: boolean,
): { input: string[]; filters: string[] } {
	const source = inputArgs(run.sourcePath)
	const begun = 'setpts=PTS-STARTPTS'
	if (isKeyed)
		return {
			input: ['-noaccurate_seek', '-ss', seconds(atSec), '-t', seconds(sec), ...source],
			filters: [begun, `trim=end=${seconds(sec)}`],
		}
	const from = Math.max(0, atSec - run.prerollSec)
	const lead = atSec + (run.spec.video.clockSec ?? -from)
	return {
		input: ['-ss', seconds(from), '-t', seconds(atSec + sec - from), ...source],
		filters: [`trim=start=${seconds(lead)}:end=${seconds(lead + sec)}`, begun],
	}
}

/** Small before its colours are worked on: a tone map costs a hundred times as much in 4K. */
const shown = ({ spec: { video, prepare } }: StillsRun, { width, height }: Size): string[] => [
	...(prepare.deinterlace ? ['bwdif=mode=send_frame:parity=auto:deint=all'] : []),
	`scale=${width}:${height}`,
	'setsar=1',
	...colorFilters(video, prepare),
]

const JPEG = ['-c:v', 'mjpeg', '-map_metadata', '-1', '-fflags', '+bitexact', '-f', 'image2pipe']

/** The preview as a file; of some of its pictures a small grey one at `pipe:3`, and one fit for a poster at `pipe:4`. */
export function previewArgs(run: StillsRun, clips: readonly Clip[], sample: Size, file: string): string[] {
	const { video, poster, preview } = run.spec
	const cuts = clips.map((clip) => cutOf(run, clip, beginsAtKeyframe(run, clip, clips)))
	const parts = cuts.map(({ filters }, input) => {
		const rate = `fps=${PREVIEW_FPS}:eof_action=pass`
		return `[${input}:${video.streamIndex}]${[...filters, rate, ...shown(run, poster)].join(',')}[c${input}]`
	})
	const joined = clips.map((_, input) => `[c${input}]`).join('')
	const graph = [
		...parts,
		`${joined}concat=n=${clips.length},split[a][some]`,
		`[some]select=not(mod(n\\,${EVERY_FOR_POSTER})),setpts=N/(${PREVIEW_FPS}*TB),split[b][c]`,
		`[a]scale=${preview.width}:${preview.height},setsar=1,format=yuv420p[moving]`,
		`[b]scale=${sample.width}:${sample.height}:out_range=pc,format=gray[grey]`,
		'[c]scale=out_range=pc,format=yuvj420p[posters]',
	]
	return [
		...clockArgs(video),
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
	]
}

/** All sheets, one after the other. Key frames alone tell enough where one comes at least with each small picture. */
export function sheetsArgs(run: StillsRun, storyboard: NonNullable<StillsSpec['storyboard']>): string[] {
	const { video, fps } = run.spec
	const { everyFrames, tileWidth, tileHeight, columns, tilesPerSheet } = storyboard
	const tileSec = (everyFrames * fps.den) / fps.num
	const isKeyed = video.longestGopSec !== null && video.longestGopSec <= tileSec
	const filters = [
		`fps=${fps.num}/${fps.den * everyFrames}:start_time=${seconds(video.clockSec ?? 0)}`,
		...['tpad=stop=-1:stop_mode=clone', `trim=end_frame=${tilesIn(storyboard)}`],
		...shown(run, { width: tileWidth, height: tileHeight }),
		...[
			'scale=out_range=pc',
			'format=yuvj420p',
			`tile=${columns}x${Math.ceil(tilesPerSheet / columns)}[sheets]`,
		],
	]
	return [
		...clockArgs(video),
		...(isKeyed ? ['-skip_frame', 'nokey'] : []),
		...inputArgs(run.sourcePath),
		...['-filter_complex', `[0:${video.streamIndex}]${filters.join(',')}`],
		...['-map', '[sheets]', '-vsync', 'passthrough', '-q:v', '4', ...JPEG, 'pipe:3'],
	]
}

export const tilesIn = ({ frames, everyFrames }: NonNullable<StillsSpec['storyboard']>): number =>
	Math.max(1, Math.ceil(frames / everyFrames))
