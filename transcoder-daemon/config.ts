import { homedir, hostname } from 'node:os'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { VideoCodec } from '#schema/contract/tasks.ts'

/** What is known without an edge; enough for --status. */
const Local = z.object({
	PLAYHOUSE_NAME: z
		.string()
		.trim()
		.max(100)
		.optional()
		.describe('name of this machine in the dashboard; by default its host name'),
	PLAYHOUSE_DATA_DIR: z
		.string()
		.optional()
		.describe(
			'where its identity, sources and work are kept; by default playhouse-daemon in $XDG_STATE_HOME or ~/.local/state',
		),
	PLAYHOUSE_SLOTS: z
		.string()
		.regex(/^\d{1,6}$/, 'must be a whole number')
		.transform(Number)
		.pipe(z.int().min(1).max(256))
		.optional()
		.describe(
			'how many chunks of video it encodes at once, one other task beside them; by default as its cores, memory and encoders allow',
		),
	PLAYHOUSE_CODECS: z
		.string()
		.regex(/^(none|(hevc|av1)(,(hevc|av1))*)$/, 'must be hevc, av1, both with a comma, or none')
		.transform((text) => VideoCodec.options.filter((codec) => codec === 'h264' || text.includes(codec)))
		.optional()
		.describe(
			'what it makes beside H.264 for organizations that ask for it: hevc, av1, hevc,av1 or none; both by default',
		),
	PLAYHOUSE_CACHE_GB: z
		.string()
		.regex(/^\d{1,6}(\.\d{1,3})?$/, 'must be a number of gigabytes')
		.transform(Number)
		.optional()
		.describe('disk space for sources, which are kept between tasks; by default half of what is free'),
	PLAYHOUSE_DRAIN_SECONDS: z
		.string()
		.regex(/^\d{1,5}$/, 'must be a whole number')
		.transform(Number)
		.optional()
		.describe('so long running tasks may go on after SIGTERM before they are given back; 25 by default'),
	PLAYHOUSE_ALLOW_UNSANDBOXED: z
		.enum(['true', 'false'], 'must be true or false')
		.optional()
		.describe(
			'true: work although bubblewrap does not; a hostile file could then read what the daemon can; false by default',
		),
	FFMPEG_PATH: z.string().optional().describe('the ffmpeg program; by default the one on PATH'),
	FFPROBE_PATH: z.string().optional().describe('the ffprobe program; by default the one on PATH'),
})

const EdgeUrl = z
	.url({ protocol: /^https?$/, error: 'set it to the http(s) address of the edge' })
	.transform((url) => url.replace(/\/+$/, ''))
	.describe('address of the edge, such as https://video.example.com; required')

/** It travels in a header, where a space would end it. */
const Printable = z.string().regex(/^[\x21-\x7e]+$/, 'must be letters, digits and signs without spaces')

const Whole = z.object({
	PLAYHOUSE_EDGE_URL: EdgeUrl,
	PLAYHOUSE_FLEET_TOKEN: z
		.string("set it to the edge's FLEET_TOKEN")
		.min(24, 'needs at least 24 characters')
		.pipe(Printable)
		.describe("the edge's FLEET_TOKEN; required"),
	...Local.shape,
})

/** A hot folder acts for an organization, and needs no place in the fleet. */
const Watching = z.object({
	PLAYHOUSE_EDGE_URL: EdgeUrl,
	PLAYHOUSE_API_KEY: z
		.string('set it to an API key of the organization that the videos are for')
		.pipe(Printable)
		.describe('with --watch: an API key of the organization that the videos are for'),
	PLAYHOUSE_DATA_DIR: Local.shape.PLAYHOUSE_DATA_DIR,
})

export type Config = {
	edgeUrl: string
	fleetToken: string
	name: string
	dataDir: string
	/** null: as many as the machine is good for. */
	slots: number | null
	/** Those it is asked to try its encoders for. */
	codecs: readonly VideoCodec[]
	/** null: as much as is sensible. */
	cacheBytes: number | null
	drainMs: number
	allowUnsandboxed: boolean
}

export type LocalConfig = Omit<Config, 'edgeUrl' | 'fleetToken'>
export type WatchConfig = { edgeUrl: string; apiKey: string; dataDir: string }
export type Environment = Readonly<Record<string, string | undefined>>

/** Everything that is wrong, at once: a line for each problem. */
export class ConfigError extends Error {
	override name = 'ConfigError'
	readonly problems: readonly string[]
	constructor(problems: readonly string[]) {
		super(problems.join('\n'))
		this.problems = problems
	}
}

export const readLocalConfig = (env: Environment): LocalConfig => localOf(parse(Local, env), env)

export function readConfig(env: Environment): Config {
	const values = parse(Whole, env)
	return {
		...localOf(values, env),
		edgeUrl: values.PLAYHOUSE_EDGE_URL,
		fleetToken: values.PLAYHOUSE_FLEET_TOKEN,
	}
}

export function readWatchConfig(env: Environment): WatchConfig {
	const values = parse(Watching, env)
	return {
		edgeUrl: values.PLAYHOUSE_EDGE_URL,
		apiKey: values.PLAYHOUSE_API_KEY,
		dataDir: dataDirOf(values.PLAYHOUSE_DATA_DIR, env),
	}
}

function localOf(values: z.infer<typeof Local>, env: Environment): LocalConfig {
	const { PLAYHOUSE_CACHE_GB: gigabytes, PLAYHOUSE_DRAIN_SECONDS: seconds = 25 } = values
	return {
		name: values.PLAYHOUSE_NAME ?? hostname().slice(0, 100),
		dataDir: dataDirOf(values.PLAYHOUSE_DATA_DIR, env),
		slots: values.PLAYHOUSE_SLOTS ?? null,
		codecs: values.PLAYHOUSE_CODECS ?? VideoCodec.options,
		cacheBytes: gigabytes === undefined ? null : gigabytes * 1e9,
		drainMs: seconds * 1_000,
		allowUnsandboxed: values.PLAYHOUSE_ALLOW_UNSANDBOXED === 'true',
	}
}

function dataDirOf(given: string | undefined, env: Environment): string {
	const stateHome = env.XDG_STATE_HOME || join(homedir(), '.local', 'state')
	return resolve(given ?? join(stateHome, 'playhouse-daemon'))
}

function parse<S extends z.ZodObject>(schema: S, env: Environment): z.output<S> {
	// An empty variable is the same as none, as in the edge.
	const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value?.trim()))
	const result = schema.safeParse(given)
	if (!result.success)
		throw new ConfigError(result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`))
	return result.data
}

export const usage = `playhouse transcoder daemon: takes transcoding work from a Playhouse edge

  main.ts              register and work until SIGTERM, which drains; a second one stops at once
  main.ts --status     print what this machine would report and what it works at, and stop
  main.ts --watch DIR  make every video that is put into the folder an asset, and stay; takes no tasks
  main.ts --help       print this

Environment:
${Object.entries({ ...Whole.shape, PLAYHOUSE_API_KEY: Watching.shape.PLAYHOUSE_API_KEY })
	.map(([name, schema]) => `  ${name.padEnd(27)} ${schema.description}`)
	.join('\n')}
`
