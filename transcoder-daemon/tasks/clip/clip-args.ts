import { type Rung, START_OFFSET_SEC, type TaskSpecByKind } from '#schema/contract/video/tasks.ts'
import { JPEG_COLORS } from '../../ffmpeg/color.ts'
import { buildEncoderArgs, findEncoderFamily, uploadFilters } from '../../ffmpeg/encoder-args.ts'
import { buildInputArgs } from '../../ffmpeg/input.ts'
import { buildDeviceArgs, chooseVideoTimescale } from '../../ffmpeg/video-args.ts'

type ClipSpec = TaskSpecByKind<'clip'>

export type ClipRun = {
	spec: ClipSpec
	/** The rung with the encoder in use; null without video. */
	rung: Rung | null
	/** Files of joined segments; null without that track. */
	picture: string | null
	sound: string | null
	devices: Readonly<Record<string, string>>
	threads: number
}

const SEGMENT_SEC = 2
const MAX_POSTER_WIDTH = 1_280
const SOUND_KBPS = 128

const seconds = (value: number) => value.toFixed(6)

/** Returns the seconds from the beginning of the presentation to a frame. */
const secondsOf = (frame: number, { fps }: Pick<ClipSpec, 'fps'>): number => (frame * fps.den) / fps.num

/** Returns the time range of the clip on the clock of the segments. */
export function computeClipRange(spec: ClipSpec): { startSec: number; endSec: number; durationSec: number } {
	const startSec = START_OFFSET_SEC + secondsOf(spec.firstFrame, spec)
	const durationSec = secondsOf(spec.frames, spec)
	return { startSec, endSec: startSec + durationSec, durationSec }
}

/** Returns the frames that begin a segment; a rest of less than half a segment is part of the one before. */
export function planClipCuts({ fps, frames }: Pick<ClipSpec, 'fps' | 'frames'>): number[] {
	const segment = Math.max(1, Math.round((SEGMENT_SEC * fps.num) / fps.den))
	const count = Math.max(1, Math.round(frames / segment))
	return Array.from({ length: count }, (_, index) => index * segment)
}

/** Returns the arguments of a clip: the file at `pipe:3`, and with video the poster at `pipe:4`. */
export function buildClipArgs(run: ClipRun): string[] {
	const { rung, picture, sound, devices, threads } = run
	const inputs = [picture, sound].filter((path) => path !== null)
	return [
		...(rung ? buildDeviceArgs({ decoder: null, devices, rungs: [rung] }) : []),
		...['-threads', String(threads), '-copyts', ...inputs.flatMap((path) => buildInputArgs(path))],
		...['-filter_complex', graphOf(run)],
		...(rung ? ['-map', '[v]', ...buildEncoderArgs(rung, threads), ...keyframeArgs(run.spec)] : []),
		...(sound ? ['-map', '[a]', '-c:a', 'aac', '-profile:a', 'aac_low', '-b:a', `${SOUND_KBPS}k`] : []),
		...muxerArgs(run),
		...(rung ? ['-map', '[poster]', '-frames:v', '1', ...JPEG, 'pipe:4'] : []),
	]
}

function graphOf({ spec, rung, sound }: ClipRun): string {
	return [...(rung ? pictureGraph(spec, rung) : []), ...(sound ? [soundGraph(spec, rung ? 1 : 0)] : [])].join(
		';',
	)
}

/** Selects frames by their times, half a frame apart from any, so that rounded times select the same frames. */
function pictureGraph(spec: ClipSpec, rung: Rung): string[] {
	const { fps, frames, firstFrame } = spec
	const { width, height, encoder } = rung
	const from = START_OFFSET_SEC + secondsOf(firstFrame - 0.5, spec)
	const to = START_OFFSET_SEC + secondsOf(firstFrame + frames - 0.5, spec)
	const shrink = Math.min(1, MAX_POSTER_WIDTH / width)
	const [posterWidth, posterHeight] = [width, height].map((length) =>
		Math.max(1, Math.round(length * shrink)),
	)
	return [
		[
			`[0:0]trim=start=${seconds(from)}:end=${seconds(to)}`,
			`setpts=N*${fps.den}/(${fps.num}*TB)`,
			`fps=fps=${fps.num}/${fps.den}:start_time=0`,
			...[`scale=${width}:${height}`, 'setsar=1', 'split[c][p]'],
		].join(','),
		`[c]${uploadFilters[findEncoderFamily(encoder)].join(',')}[v]`,
		[
			`[p]select=eq(n\\,${Math.floor(frames / 2)})`,
			...[`scale=${posterWidth}:${posterHeight}:${JPEG_COLORS}`, 'format=yuvj420p[poster]'],
		].join(','),
	]
}

/** Pads with silence where the source's audio ends early, by up to half an access unit. */
function soundGraph(spec: ClipSpec, input: number): string {
	const { startSec, endSec, durationSec } = computeClipRange(spec)
	return [
		`[${input}:0]atrim=start=${seconds(startSec)}:end=${seconds(endSec)}`,
		`asetpts=PTS-${seconds(startSec)}/TB`,
		'aresample=async=1:first_pts=0',
		`apad=whole_dur=${seconds(durationSec)}`,
		`atrim=end=${seconds(durationSec)}[a]`,
	].join(',')
}

/** Forces each key frame a quarter of a frame early, so that a rounded time does not delay it. */
function keyframeArgs(spec: ClipSpec): string[] {
	const cuts = planClipCuts(spec)
	const lengths = cuts.map((cut, index) => (cuts[index + 1] ?? spec.frames) - cut)
	const times = cuts.map((cut) => seconds(secondsOf(Math.max(0, cut - 0.25), spec)))
	return ['-g', String(Math.max(...lengths)), '-force_key_frames', times.join(',')]
}

/**
 * The header follows the first fragment, because only then its edit lists are known. They hide what is decoded before 0,
 * so that both tracks begin there in every player.
 */
const FRAGMENTED = '+empty_moov+delay_moov+default_base_moof+skip_trailer'

/** Never writes a fragment of one track alone, however late an encoder returns the first frames of a slow video. */
const INTERLEAVED = ['-max_interleave_delta', '0']

const muxerArgs = ({ spec, rung }: ClipRun): string[] => [
	...['-map_metadata', '-1', '-map_chapters', '-1', '-fflags', '+bitexact', '-avoid_negative_ts', 'disabled'],
	...(rung
		? [
				'-video_track_timescale',
				String(chooseVideoTimescale(spec.fps)),
				'-movflags',
				`${FRAGMENTED}+frag_keyframe`,
			]
		: ['-frag_duration', String(SEGMENT_SEC * 1_000_000), '-movflags', FRAGMENTED]),
	...[...INTERLEAVED, '-f', 'mp4', 'pipe:3'],
]

const JPEG = ['-c:v', 'mjpeg', '-q:v', '3', '-map_metadata', '-1', '-fflags', '+bitexact', '-f', 'image2pipe']
