import { ColorPrimaries, ColorRange, ColorSpace, ColorTransfer } from '#schema/contract/media-info.ts'
import type { Access } from '../tasks/task.ts'

/**
 * What ffmpeg and ffprobe are ever told. A specification comes from the edge, which made it from what another machine
 * said it found in a file: whatever got past the contract ends here, before a program sees it. A new option or filter
 * of ours is added to these lists.
 */

/** Letters, digits and what separates them: no spaces, quotes, brackets or paths. */
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
	// Of the program.
	...{ '-hide_banner': null, '-nostdin': null, '-y': null, '-nostats': null },
	...{ '-loglevel': /^(error|info)$/, '-progress': /^pipe:1$/, '-threads': INTEGER },
	...{ '-init_hw_device': only(`vaapi=gpu:${RENDER_NODE}`), '-filter_hw_device': /^gpu$/ },
	// Of an input; `-i` is looked at apart.
	...{ '-protocol_whitelist': /^file$/, '-format_whitelist': /^[a-z0-9,]+$/ },
	...{
		'-max_streams': INTEGER,
		'-max_pixels': INTEGER,
		'-analyzeduration': /^\d+M$/,
		'-probesize': /^\d+M$/,
	},
	...{ '-copyts': null, '-noaccurate_seek': null, '-ss': TIMES, '-t': TIMES, '-skip_frame': /^nokey$/ },
	...{ '-hwaccel': /^[a-z]+$/, '-hwaccel_output_format': /^[a-z]+$/, '-hwaccel_device': /^gpu$/ },
	// Of an output.
	...{ '-map': /^(\d+:\d+|\[\w+\])$/, '-map_metadata': /^-1$/, '-map_chapters': /^-1$/ },
	...{ '-c': /^copy$/, '-c:v': CODEC, '-c:a': /^(aac|libopus|flac|copy)$/, '-tag:v': /^(avc1|hvc1)$/ },
	...{ '-preset': PRESET, '-profile:v': /^high$/, '-profile:a': /^aac_low$/, '-crf': /^[\d.e-]+$/ },
	...{ '-maxrate': /^\d+k$/, '-bufsize': /^\d+k$/, '-b:v': /^\d+k?$/, '-b:a': /^\d+k$/ },
	...{ '-x265-params': WORD, '-svtav1-params': WORD, '-sc_threshold': /^0$/, '-g': INTEGER },
	...{ '-forced-idr': /^1$/, '-forced_idr': /^1$/, '-no-scenecut': /^1$/, '-strict_gop': /^1$/ },
	...{
		'-rc': /^vbr$/,
		'-rc_mode': /^VBR$/,
		'-cq': /^[\d.e-]+$/,
		'-global_quality': /^[\d.e-]+$/,
		'-allow_sw': /^0$/,
	},
	...{ '-force_key_frames': TIMES, '-frames:v': INTEGER, '-vsync': /^passthrough$/ },
	...{ '-colorspace': only(oneOf(ColorSpace)), '-color_primaries': only(oneOf(ColorPrimaries)) },
	...{ '-color_trc': only(oneOf(ColorTransfer)), '-color_range': /^tv$/ },
	...{ '-q:v': INTEGER, '-quality': INTEGER, '-compression_level': INTEGER },
	...{ '-loop': /^0$/, '-fflags': /^\+bitexact$/, '-flags:a': /^\+global_header$/, '-bsf:v': WORD },
	...{ '-movflags': /^[a-z_+]+$/, '-use_editlist': /^0$/, '-avoid_negative_ts': /^disabled$/ },
	...{ '-video_track_timescale': INTEGER, '-output_ts_offset': /^-?\d+(\.\d+)?$/, '-f': /^[a-z0-9]+$/ },
	// Of ffprobe.
	...{ '-show_format': null, '-show_streams': null, '-show_entries': WORD, '-of': /^(json|csv=p=0)$/ },
}

/** None of these opens a file, a device or an address, whatever it is told. */
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

/** A command line that holds something none of ours ever does. The text itself is not repeated: nobody vouches for it. */
export class ForeignArgumentError extends Error {
	override name = 'ForeignArgumentError'
}

/** Returns the command line as it is, or throws. */
export function requireKnownArguments(
	command: readonly string[],
	{ workDir, readable }: Access,
): readonly string[] {
	const [, ...args] = command
	for (let at = 0; at < args.length; at++) {
		const arg = args[at] ?? ''
		if (!arg.startsWith('-') || arg === '-') {
			if (!isOutput(arg, workDir)) throw new ForeignArgumentError('an output is none that tasks write')
			continue
		}
		const form = Object.hasOwn(options, arg) ? options[arg] : undefined
		if (form === null) continue
		const value = args[++at] ?? ''
		const isKnown =
			arg === '-i'
				? readable.some((path) => value === `file:${path}`)
				: arg === '-filter_complex'
					? isGraph(value)
					: form?.test(value)
		if (!isKnown)
			throw new ForeignArgumentError(
				form || arg === '-i' || arg === '-filter_complex'
					? `${arg} is given a value that no task has for it`
					: 'an option is none that tasks use',
			)
	}
	return command
}

const isGraph = (graph: string): boolean => graph.split(/;|(?<!\\),/).every(isFilter)

function isFilter(text: string): boolean {
	const [, name = '', told = ''] = FILTER.exec(text) ?? []
	// The one filter that is told words from a specification.
	return filters.has(name) && (name !== 'setparams' || COLORS.test(told))
}

/** A pipe that is read here, nothing at all, a file in the folder of the task, or a pipe and a file at once. */
function isOutput(arg: string, workDir: string): boolean {
	if (arg === '-' || /^pipe:\d{1,3}$/.test(arg)) return true
	if (arg.startsWith('file:')) return isInside(arg.slice('file:'.length), workDir)
	const [, file] = /^\[[\w=:+.]+\]pipe:\d{1,3}\|\[[\w=:+.]+\]file:(.*)$/s.exec(arg) ?? []
	return file !== undefined && isInside(file.replace(/\\([\\'|])/g, '$1'), workDir)
}

const isInside = (path: string, dir: string): boolean =>
	path.startsWith(`${dir}/`) && /^[a-z0-9][a-z0-9-]*\.[a-z0-9]+$/.test(path.slice(dir.length + 1))
