import type { TaskSpecByKind } from '#schema/contract/video/tasks.ts'
import { buildClockArgs, buildInputArgs } from '../ffmpeg/input.ts'
import { SPEECH_RATE } from './voice-activity.ts'

const plain = ['-map_metadata', '-1', '-map_chapters', '-1', '-fflags', '+bitexact']

/**
 * Builds the arguments that decode one track once: to a file, and as samples at `pipe:3`. The audio starts with the
 * video; a later start is padded with silence.
 */
export function buildSpeechArgs(
	{ track: { source }, durationSec }: TaskSpecByKind<'speech-plan'>,
	sourcePath: string,
	path: string,
): string[] {
	const samples = Math.floor(durationSec * SPEECH_RATE)
	const fromZero = source.clockSec === null ? '' : `asetpts=PTS-${source.clockSec.toFixed(6)}/TB,`
	const filters = [
		`[0:${source.streamIndex}]${fromZero}aresample=${SPEECH_RATE}:async=1:first_pts=0:rematrix_maxval=1`,
		'aformat=sample_fmts=s16:channel_layouts=mono',
		`apad=whole_len=${samples}`,
		`atrim=end_sample=${samples}`,
		'asplit=2[file][samples]',
	]
	return [
		...buildClockArgs(source),
		...buildInputArgs(sourcePath),
		...['-filter_complex', filters.join(',')],
		...['-map', '[file]', ...plain, '-c:a', 'flac', '-f', 'flac', `file:${path}`],
		...['-map', '[samples]', '-f', 's16le', 'pipe:3'],
	]
}

/** Returns the arguments that cut a chunk out of the decoded sound. */
export const buildChunkArgs = (
	{ fromMs, toMs }: { fromMs: number; toMs: number },
	soundPath: string,
	path: string,
): string[] => [
	...['-ss', (fromMs / 1_000).toFixed(3)],
	...buildInputArgs(soundPath),
	...['-t', ((toMs - fromMs) / 1_000).toFixed(3), '-map', '0:0', ...plain],
	...['-c:a', 'flac', '-f', 'flac', `file:${path}`],
]
