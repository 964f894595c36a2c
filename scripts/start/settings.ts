import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs, parseEnv } from 'node:util'
import { Variables } from '../../edge/platform/env.ts'
import { StartFailure } from './failure.ts'

export const root = resolve(import.meta.dirname, '..', '..')

export type Settings = {
	host: string
	port: number
	dataDir: string
	withDaemon: boolean
	/** X-Forwarded-For is believed: only right behind a proxy that writes it. */
	trustsProxy: boolean
	/** What was set of edge/platform/env.ts, as it was written. */
	variables: Record<string, string>
	/** Everything that was set, for child processes. */
	env: NodeJS.ProcessEnv
}

export const usage = `npm start [-- options]

  --no-daemon   leave the transcoder out
  --help        this text

Environment, or a file .env here or in DATA_DIR (the environment wins, then DATA_DIR/.env, then .env):
  HOST          address to listen at (127.0.0.1)
  PORT          port to listen at (8787); 0 takes any free one
  DATA_DIR      where everything is kept (.playhouse)
  TRUST_PROXY   true: callers' addresses are taken from X-Forwarded-For
  FFMPEG_PATH   ffmpeg to use; FFPROBE_PATH likewise
  PLAYHOUSE_ALLOW_UNSANDBOXED  true: transcode although bubblewrap does not work here; so by default
                while only this machine can reach it (HOST is loopback, no TRUST_PROXY, no PUBLIC_URL)
  ENVIRONMENT   production (by default with TRUST_PROXY or an https PUBLIC_URL), or development
  and every variable of edge/platform/env.ts: ${Object.keys(Variables.shape).join(', ')}`

export async function readSettings(
	args: string[],
	processEnv: NodeJS.ProcessEnv,
): Promise<Settings | 'help'> {
	const options = parseOptions(args)
	if (options.help) return 'help'
	const shared = { ...(await readEnvFile(join(root, '.env'))), ...present(processEnv) }
	const dataDir = resolve(shared.DATA_DIR || join(root, '.playhouse'))
	const env = { ...shared, ...(await readEnvFile(join(dataDir, '.env'))), ...present(processEnv) }
	return {
		host: env.HOST || '127.0.0.1',
		port: parsePort(env.PORT || '8787'),
		dataDir,
		withDaemon: !options['no-daemon'],
		trustsProxy: env.TRUST_PROXY === 'true' || env.TRUST_PROXY === '1',
		variables: checkVariables(env),
		env,
	}
}

/** Whoever could harm the transcoder with a file is on the machine already, so it may go without a sandbox. */
export function isForThisMachineOnly({
	host,
	trustsProxy,
	variables,
}: Pick<Settings, 'host' | 'trustsProxy' | 'variables'>): boolean {
	const isLoopback = host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host)
	return isLoopback && !trustsProxy && variables.PUBLIC_URL === undefined
}

/** Others reach it from outside, so what helps while developing is off: mails on the console, http where https belongs. */
export const isHosted = ({ trustsProxy, variables }: Pick<Settings, 'trustsProxy' | 'variables'>): boolean =>
	trustsProxy || (variables.PUBLIC_URL ?? '').startsWith('https:')

function parseOptions(args: string[]) {
	try {
		const types = { 'no-daemon': { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const
		return parseArgs({ args, options: types }).values
	} catch (error) {
		throw new StartFailure(`${(error as Error).message.split('.')[0]}; see npm start -- --help`)
	}
}

// An empty variable is the same as none, as in the Worker.
function present(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
	return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''))
}

async function readEnvFile(path: string): Promise<NodeJS.ProcessEnv> {
	try {
		return present(parseEnv(await readFile(path, 'utf8')))
	} catch (error) {
		// DATA_DIR may not exist yet, or be a file: that is for the check of DATA_DIR to say.
		if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return {}
		throw error
	}
}

function parsePort(text: string): number {
	const port = Number(text)
	if (!/^\d+$/.test(text) || port > 65_535)
		throw new StartFailure(`PORT: a number from 0 to 65535 is needed, not ${text}`)
	return port
}

/** What the Worker would refuse at its first request is refused here, before anything starts. */
function checkVariables(env: NodeJS.ProcessEnv): Record<string, string> {
	const given = Object.fromEntries(
		Object.keys(Variables.shape).flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
	)
	const result = Variables.safeParse(given)
	if (result.success) return given
	throw new StartFailure(
		result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; '),
	)
}
