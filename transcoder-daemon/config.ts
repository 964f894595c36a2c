import { trimEnd } from '#schema/contract/kit/trim-end.ts'
import '#schema/contract/kit/validation-messages.ts'
import { homedir, hostname } from 'node:os'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { SpokenLanguage, VideoCodec } from '#schema/contract/video/tasks.ts'
import { logFormats, logLevels } from './log-format.ts'
import { readSecretFiles } from './secret-files.ts'

/** Splits a command line at unquoted spaces. No shell is involved. */
const splitCommand = (text: string): string[] =>
	[...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? '')

const LogVariables = {
	LOG_FORMAT: z
		.enum(logFormats, `must be ${logFormats.join(' or ')}`)
		.optional()
		.describe('pretty or json; by default pretty on a terminal, json elsewhere'),
	LOG_LEVEL: z
		.enum(logLevels, `must be one of ${logLevels.join(', ')}`)
		.optional()
		.describe('lowest level that is logged: debug, info, warn or error; info by default'),
}

/** Variables that need no edge; enough for `--status`. */
const LocalVariables = z.object({
	PLAYHOUSE_NAME: z
		.string()
		.trim()
		.max(100)
		.optional()
		.describe('name of this machine in the dashboard; its host name by default'),
	PLAYHOUSE_DATA_DIR: z
		.string()
		.optional()
		.describe(
			'directory for identity, sources and work; by default playhouse-daemon in $XDG_STATE_HOME or ~/.local/state',
		),
	PLAYHOUSE_SLOTS: z
		.string()
		.regex(/^\d{1,6}$/, 'must be a whole number')
		.transform(Number)
		.pipe(z.int().min(1).max(256))
		.optional()
		.describe(
			'how many video chunks are encoded at once, besides one other task; by default derived from cores, memory and encoders',
		),
	PLAYHOUSE_CODECS: z
		.string()
		.regex(/^(none|(hevc|av1)(,(hevc|av1))*)$/, 'must be hevc, av1, hevc,av1 or none')
		.transform((text) => VideoCodec.options.filter((codec) => codec === 'h264' || text.includes(codec)))
		.optional()
		.describe('codecs offered besides H.264: hevc, av1, hevc,av1 or none; both by default'),
	PLAYHOUSE_MEMORY_GB: z
		.string()
		.regex(/^\d{1,6}(\.\d{1,3})?$/, 'must be a number of gigabytes')
		.transform(Number)
		.pipe(z.number().min(0.1, 'must be at least 0.1'))
		.optional()
		.describe(
			'memory limit: concurrent tasks share 80 % of it, and a task that needs more than all of it is returned; by default the memory of the machine or container',
		),
	PLAYHOUSE_CACHE_GB: z
		.string()
		.regex(/^\d{1,6}(\.\d{1,3})?$/, 'must be a number of gigabytes')
		.transform(Number)
		.optional()
		.describe('disk space for cached sources; by default half of the free space'),
	PLAYHOUSE_DRAIN_SECONDS: z
		.string()
		.regex(/^\d{1,5}$/, 'must be a whole number')
		.transform(Number)
		.optional()
		.describe('how long running tasks may continue after SIGTERM before they are returned; 25 by default'),
	PLAYHOUSE_ALLOW_UNSANDBOXED: z
		.enum(['true', 'false'], 'must be true or false')
		.optional()
		.describe(
			'true: work without bubblewrap; a hostile file could then read whatever the daemon can; false by default',
		),
	PLAYHOUSE_REMEMBER_TRIALS: z
		.enum(['true', 'false'], 'must be true or false')
		.optional()
		.describe(
			'true: reuse encoder trials while ffmpeg is unchanged; for development, where restarts are frequent; false by default',
		),
	PLAYHOUSE_ASR_COMMAND: z
		.string()
		.trim()
		.refine((text) => splitCommand(text).some((part) => part.includes('{input}')), 'must contain {input}')
		.transform(splitCommand)
		.optional()
		.describe(
			'program that writes down speech, with {input} (FLAC), {language} and {output}; it runs without network and writes JSON, see docs/ai/transcription.md',
		),
	PLAYHOUSE_ASR_URL: z
		.url({ protocol: /^https?$/, error: 'must be an http(s) address' })
		.optional()
		.describe(
			'address of a server with the API of OpenAI that writes down speech, such as http://localhost:8000/v1',
		),
	PLAYHOUSE_ASR_MODEL: z
		.string()
		.trim()
		.max(200)
		.optional()
		.describe('model that PLAYHOUSE_ASR_URL is asked for'),
	PLAYHOUSE_ASR_KEY: z.string().trim().max(500).optional().describe('API key for PLAYHOUSE_ASR_URL'),
	PLAYHOUSE_ASR_LANGUAGES: z
		.string()
		.toLowerCase()
		.transform((text) => text.split(',').map((part) => part.trim()))
		.pipe(
			z
				.array(SpokenLanguage.or(z.literal('*')))
				.min(1)
				.max(200),
		)
		.optional()
		.describe('languages that the speech engine knows, such as en,de; all by default'),
	PLAYHOUSE_ASR_MODELS: z
		.string()
		.optional()
		.describe('folder with models (*.bin) for whisper-cli; by default models in PLAYHOUSE_DATA_DIR'),
	FFMPEG_PATH: z.string().optional().describe('path of ffmpeg; by default the one on PATH'),
	FFPROBE_PATH: z.string().optional().describe('path of ffprobe; by default the one on PATH'),
	...LogVariables,
})

const EdgeUrl = z
	.url({ protocol: /^https?$/, error: 'set it to the http(s) address of the edge' })
	.transform((url) => trimEnd(url, '/'))
	.describe('address of the edge, such as https://video.example.com; required')

/** Characters of an HTTP header value without spaces. */
const Printable = z.string().regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without spaces')

const DaemonVariables = z.object({
	PLAYHOUSE_EDGE_URL: EdgeUrl,
	PLAYHOUSE_FLEET_TOKEN: z
		.string("set it to the edge's FLEET_TOKEN")
		.min(24, 'must have at least 24 characters')
		.pipe(Printable)
		.describe("the edge's FLEET_TOKEN; required"),
	PLAYHOUSE_METRICS_PORT: z
		.string()
		.regex(/^\d{1,5}$/, 'must be a port number')
		.transform(Number)
		.pipe(z.int().max(65_535, 'must be a port number'))
		.optional()
		.describe(
			'port on 127.0.0.1 for /metrics (Prometheus) and /healthz; 0 takes any free one; off by default',
		),
	...LocalVariables.shape,
})

/** Secrets that can be read from a file, whose path is in the variable with the suffix `_FILE`. */
const secretNames = ['PLAYHOUSE_FLEET_TOKEN', 'PLAYHOUSE_API_KEY', 'PLAYHOUSE_ASR_KEY']

/** A hot folder uses an organization's API key and is not part of the fleet. */
const WatchVariables = z.object({
	PLAYHOUSE_EDGE_URL: EdgeUrl,
	PLAYHOUSE_API_KEY: z
		.string('set it to an API key of the organization that owns the videos')
		.pipe(Printable)
		.describe('with --watch: an API key of the organization that owns the videos'),
	PLAYHOUSE_DATA_DIR: LocalVariables.shape.PLAYHOUSE_DATA_DIR,
	...LogVariables,
})

export type Config = {
	edgeUrl: string
	fleetToken: string
	/** null: no monitor. */
	metricsPort: number | null
	name: string
	dataDir: string
	/** null: derived from the machine's cores, memory and encoders. */
	slots: number | null
	/** Codecs whose encoders are tried. */
	codecs: readonly VideoCodec[]
	/** null: all memory that this process may use. */
	memoryBytes: number | null
	/** null: half of the free disk space. */
	cacheBytes: number | null
	drainMs: number
	allowUnsandboxed: boolean
	remembersTrials: boolean
	speech: SpeechConfig
}

/** The speech engines that the operator configured. */
export type SpeechConfig = {
	command: readonly string[] | null
	url: string | null
	model: string | null
	key: string | null
	languages: readonly string[]
	modelsDir: string
}

export type LocalConfig = Omit<Config, 'edgeUrl' | 'fleetToken' | 'metricsPort'>
export type WatchConfig = { edgeUrl: string; apiKey: string; dataDir: string }
export type Environment = Readonly<Record<string, string | undefined>>

/** Lists every problem of the configuration, one per line. */
export class ConfigError extends Error {
	override name = 'ConfigError'
	readonly problems: readonly string[]
	constructor(problems: readonly string[]) {
		super(problems.join('\n'))
		this.problems = problems
	}
}

export const readLocalConfig = (env: Environment): LocalConfig => localOf(parse(LocalVariables, env), env)

export function readConfig(env: Environment): Config {
	const values = parse(DaemonVariables, env)
	return {
		...localOf(values, env),
		edgeUrl: values.PLAYHOUSE_EDGE_URL,
		fleetToken: values.PLAYHOUSE_FLEET_TOKEN,
		metricsPort: values.PLAYHOUSE_METRICS_PORT ?? null,
	}
}

export function readWatchConfig(env: Environment): WatchConfig {
	const values = parse(WatchVariables, env)
	return {
		edgeUrl: values.PLAYHOUSE_EDGE_URL,
		apiKey: values.PLAYHOUSE_API_KEY,
		dataDir: dataDirOf(values.PLAYHOUSE_DATA_DIR, env),
	}
}

function localOf(values: z.infer<typeof LocalVariables>, env: Environment): LocalConfig {
	const {
		PLAYHOUSE_MEMORY_GB: memory,
		PLAYHOUSE_CACHE_GB: gigabytes,
		PLAYHOUSE_DRAIN_SECONDS: seconds = 25,
	} = values
	const dataDir = dataDirOf(values.PLAYHOUSE_DATA_DIR, env)
	return {
		name: values.PLAYHOUSE_NAME ?? hostname().slice(0, 100),
		dataDir,
		slots: values.PLAYHOUSE_SLOTS ?? null,
		codecs: values.PLAYHOUSE_CODECS ?? VideoCodec.options,
		memoryBytes: memory === undefined ? null : memory * 1e9,
		cacheBytes: gigabytes === undefined ? null : gigabytes * 1e9,
		drainMs: seconds * 1_000,
		allowUnsandboxed: values.PLAYHOUSE_ALLOW_UNSANDBOXED === 'true',
		remembersTrials: values.PLAYHOUSE_REMEMBER_TRIALS === 'true',
		speech: {
			command: values.PLAYHOUSE_ASR_COMMAND ?? null,
			url: values.PLAYHOUSE_ASR_URL ?? null,
			model: values.PLAYHOUSE_ASR_MODEL ?? null,
			key: values.PLAYHOUSE_ASR_KEY ?? null,
			languages: values.PLAYHOUSE_ASR_LANGUAGES ?? ['*'],
			modelsDir: resolve(values.PLAYHOUSE_ASR_MODELS ?? join(dataDir, 'models')),
		},
	}
}

function dataDirOf(value: string | undefined, env: Environment): string {
	const stateHome = env.XDG_STATE_HOME || join(homedir(), '.local', 'state')
	return resolve(value ?? join(stateHome, 'playhouse-daemon'))
}

function parse<S extends z.ZodObject>(schema: S, env: Environment): z.output<S> {
	const { env: complete, problems } = readSecretFiles(env, secretNames)
	if (problems.length > 0) throw new ConfigError(problems)
	// An empty variable counts as unset, as in the edge.
	const present = Object.fromEntries(Object.entries(complete).filter(([, value]) => value?.trim()))
	const result = schema.safeParse(present)
	if (!result.success)
		throw new ConfigError(result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`))
	return result.data
}

export const usage = `playhouse transcoder daemon: claims transcoding tasks from a Playhouse edge

  main.ts              register and work until SIGTERM, which drains; a second SIGTERM stops at once
  main.ts --status     print what this machine would report and its current tasks
  main.ts --watch DIR  upload every video placed in the folder as an asset; claims no tasks
  main.ts --help       print this help

Environment:
${Object.entries({ ...DaemonVariables.shape, PLAYHOUSE_API_KEY: WatchVariables.shape.PLAYHOUSE_API_KEY })
	.map(([name, schema]) => `  ${name.padEnd(27)} ${schema.description}`)
	.join('\n')}

Secrets can be in files: ${secretNames.map((name) => `${name}_FILE`).join(', ')} hold their paths.
`
