import { ColorPrimaries, ColorRange, ColorSpace, ColorTransfer } from '#schema/contract/video/media-info.ts'
import type { Access } from '../tasks/task.ts'

/**
 * The only arguments of ffmpeg and ffprobe. A task spec derives from another machine's report about a file, so
 * arguments that pass the contract are checked again here. Add new options and filters to these lists.
 */

/** Letters, digits and separators: no spaces, quotes, brackets or paths. */
const WORD = /^[\w.,:;=+*%-]+$/
const INTEGER = /^-?\d+$/
const TIMES = /^-?\d+(\.\d+)?(,\d+(\.\d+)?)*$/
const oneOf = ({ options }: { options: readonly string[] }) => `(?:${options.join('|')})`
const only = (text: string) => new RegExp(`^${text}$`)
const CODEC =
	/^(copy|mjpeg|libwebp_anim|libx26[45]|libsvtav1|(h264|hevc|av1)_(nvenc|qsv|vaapi|videotoolbox))$/
const PRESET = /^((ultra|super|very)?fast|faster|medium|(very)?slow|slower|placebo|p[1-7]|1?\d)$/
const RENDER_NODE = '/dev/dri/renderD\\d+'

const options: Readonly<Record<string, RegExp | null>> = {
	// Global options.
	...{ '-hide_banner': null, '-nostdin': null, '-y': null, '-nostats': null },
	...{ '-loglevel': /^(error|warning|info)$/, '-progress': /^pipe:1$/, '-threads': INTEGER },
	...{ '-init_hw_device': only(`vaapi=gpu:${RENDER_NODE}`), '-filter_hw_device': /^gpu$/ },
	// Input options; `-i` is checked separately.
	...{ '-protocol_whitelist': /^file$/, '-format_whitelist': /^[a-z0-9,]+$/ },
	'-max_streams': INTEGER,
	'-max_pixels': INTEGER,
	'-analyzeduration': /^\d+M$/,
	'-probesize': /^\d+M$/,
	...{ '-copyts': null, '-noaccurate_seek': null, '-ss': TIMES, '-t': TIMES, '-skip_frame': /^nokey$/ },
	...{ '-hwaccel': /^[a-z]+$/, '-hwaccel_output_format': /^[a-z]+$/, '-hwaccel_device': /^gpu$/ },
	// Output options.
	...{ '-map': /^(\d+:\d+|\[\w+\])$/, '-map_metadata': /^-1$/, '-map_chapters': /^-1$/ },
	...{
		'-c': /^copy$/,
		'-c:v': CODEC,
		'-c:a': /^(aac|libopus|flac|pcm_s16le|copy)$/,
		'-tag:v': /^(avc1|hvc1)$/,
	},
	...{ '-preset': PRESET, '-profile:v': /^high$/, '-profile:a': /^aac_low$/, '-crf': /^[\d.e-]+$/ },
	...{ '-maxrate': /^\d+k$/, '-bufsize': /^\d+k$/, '-b:v': /^\d+k?$/, '-b:a': /^\d+k$/ },
	...{ '-x265-params': WORD, '-svtav1-params': WORD, '-sc_threshold': /^0$/, '-g': INTEGER },
	...{ '-forced-idr': /^1$/, '-forced_idr': /^1$/, '-no-scenecut': /^1$/, '-strict_gop': /^1$/ },
	'-rc': /^vbr$/,
	'-rc_mode': /^VBR$/,
	'-cq': /^[\d.e-]+$/,
	'-global_quality': /^[\d.e-]+$/,
	'-allow_sw': /^0$/,
	...{ '-force_key_frames': TIMES, '-frames:v': INTEGER, '-vsync': /^passthrough$/ },
	...{ '-colorspace': only(oneOf(ColorSpace)), '-color_primaries': only(oneOf(ColorPrimaries)) },
	...{ '-color_trc': only(oneOf(ColorTransfer)), '-color_range': /^tv$/ },
	...{ '-q:v': INTEGER, '-quality': INTEGER, '-compression_level': INTEGER },
	...{ '-loop': /^0$/, '-fflags': /^\+bitexact$/, '-flags:a': /^\+global_header$/, '-bsf:v': WORD },
	'-movflags': /^[a-z_+]+$/,
	'-frag_duration': INTEGER,
	'-max_interleave_delta': /^0$/,
	'-use_editlist': /^0$/,
	'-avoid_negative_ts': /^disabled$/,
	...{ '-video_track_timescale': INTEGER, '-output_ts_offset': /^-?\d+(\.\d+)?$/, '-f': /^[a-z0-9]+$/ },
	// Options of ffprobe.
	...{ '-show_format': null, '-show_streams': null, '-show_entries': WORD, '-of': /^(json|csv=p=0)$/ },
}

/** No argument makes any of these filters open a file, device or URL. */
const filters = new Set(
	`anull apad aformat aresample asetpts asplit atrim bwdif concat format fps hwdownload hwupload loudnorm pan scale
	scale_cuda scale_qsv scale_vaapi select setparams setpts setsar split tile tonemap tpad trim zscale`.split(
		/\s+/,
	),
)
const COLORS = only(
	`range=${oneOf(ColorRange)}:color_primaries=${oneOf(ColorPrimaries)}:color_trc=${oneOf(ColorTransfer)}:colorspace=${oneOf(ColorSpace)}`,
)
const FILTER = /^(?:\[[\w:]+\])*([a-z0-9_]+)(?:=([\w.:=+*/()|\\,-]+))?(?:\[\w+\])*$/

/** A command line with an argument that no task uses. The message does not repeat it, since it may be hostile text. */
export class UnknownArgumentError extends Error {
	override name = 'UnknownArgumentError'
}

/** Returns the command line unchanged; throws on an unknown argument. */
export function requireKnownArguments(
	command: readonly string[],
	{ workDir, readable }: Access,
): readonly string[] {
	const [, ...args] = command
	for (let at = 0; at < args.length; at++) {
		const arg = args[at] ?? ''
		if (!arg.startsWith('-') || arg === '-') {
			if (!isOutput(arg, workDir)) throw new UnknownArgumentError('tasks do not write to this output')
			continue
		}
		const pattern = Object.hasOwn(options, arg) ? options[arg] : undefined
		if (pattern === null) continue
		const value = args[++at] ?? ''
		const isKnown =
			arg === '-i'
				? readable.some((path) => value === `file:${path}`)
				: arg === '-filter_complex'
					? isGraph(value)
					: pattern?.test(value)
		if (!isKnown)
			throw new UnknownArgumentError(
				pattern || arg === '-i' || arg === '-filter_complex'
					? `${arg} has a value that no task uses`
					: 'tasks do not use this option',
			)
	}
	return command
}

const isGraph = (graph: string): boolean => graph.split(/;|(?<!\\),/).every(isFilter)

function isFilter(text: string): boolean {
	const [, name = '', value = ''] = FILTER.exec(text) ?? []
	// The only filter with words from a task spec.
	return filters.has(name) && (name !== 'setparams' || COLORS.test(value))
}

/** Whether the output is a pipe, null, a file in the task's folder, or a pipe and a file at once. */
function isOutput(arg: string, workDir: string): boolean {
	if (arg === '-' || /^pipe:\d{1,3}$/.test(arg)) return true
	if (arg.startsWith('file:')) return isInside(arg.slice('file:'.length), workDir)
	const [, file] = /^\[[\w=:+.]+\]pipe:\d{1,3}\|\[[\w=:+.]+\]file:(.*)$/s.exec(arg) ?? []
	return file !== undefined && isInside(file.replace(/\\([\\'|])/g, '$1'), workDir)
}

const isInside = (path: string, dir: string): boolean =>
	path.startsWith(`${dir}/`) && /^[a-z0-9][a-z0-9-]*\.[a-z0-9]+$/.test(path.slice(dir.length + 1))
