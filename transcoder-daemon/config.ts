import { homedir, hostname } from 'node:os'
import { join, resolve } from 'node:path'
import { z } from 'zod'

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
		.describe('where its identity is kept; by default playhouse-daemon in $XDG_STATE_HOME or ~/.local/state'),
	PLAYHOUSE_SLOTS: z
		.string()
		.regex(/^\d{1,6}$/, 'must be a whole number')
		.transform(Number)
		.pipe(z.int().min(1).max(256))
		.optional()
		.describe('how many tasks it takes at once; by default as its cores, memory and encoders allow'),
	FFMPEG_PATH: z.string().optional().describe('the ffmpeg program; by default the one on PATH'),
	FFPROBE_PATH: z.string().optional().describe('the ffprobe program; by default the one on PATH'),
})

const Whole = z.object({
	PLAYHOUSE_EDGE_URL: z
		.url({ protocol: /^https?$/, error: 'set it to the http(s) address of the edge' })
		.transform((url) => url.replace(/\/+$/, ''))
		.describe('address of the edge, such as https://video.example.com; required'),
	PLAYHOUSE_FLEET_TOKEN: z
		.string("set it to the edge's FLEET_TOKEN")
		.min(24, 'needs at least 24 characters')
		// It travels in a header, where a space would end it.
		.regex(/^[\x21-\x7e]+$/, 'must be letters, digits and signs without spaces')
		.describe("the edge's FLEET_TOKEN; required"),
	...Local.shape,
})

export type Config = {
	edgeUrl: string
	fleetToken: string
	name: string
	dataDir: string
	/** null: as many as the machine is good for. */
	slots: number | null
}

export type LocalConfig = Pick<Config, 'name' | 'dataDir' | 'slots'>
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

function localOf(values: z.infer<typeof Local>, env: Environment): LocalConfig {
	const stateHome = env.XDG_STATE_HOME || join(homedir(), '.local', 'state')
	return {
		name: values.PLAYHOUSE_NAME ?? hostname().slice(0, 100),
		dataDir: resolve(values.PLAYHOUSE_DATA_DIR ?? join(stateHome, 'playhouse-daemon')),
		slots: values.PLAYHOUSE_SLOTS ?? null,
	}
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

  main.ts            register and work until SIGTERM, which drains; a second one stops at once
  main.ts --status   print what this machine would report, and stop
  main.ts --help     print this

Environment:
${Object.entries(Whole.shape)
	.map(([name, schema]) => `  ${name.padEnd(22)} ${schema.description}`)
	.join('\n')}
`
