import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs, parseEnv } from 'node:util'
import { Variables } from '../../../edge/platform/env.ts'
import type { LogOptions } from '../../../transcoder-daemon/log-format.ts'
import { readSecretFiles } from '../../../transcoder-daemon/secret-files.ts'
import { checkLogOptions } from '../console/settings.ts'
import { root } from '../root.ts'
import { StartFailure } from './failure.ts'
import { listVariables } from './variable-list.ts'

export type Command = 'npm start' | 'npm run dev'

export type Settings = {
	host: string
	port: number
	dataDir: string
	withDaemon: boolean
	/** Whether a backup is made before migrations. */
	withBackup: boolean
	/** Whether X-Forwarded-For is trusted; safe only behind a proxy that sets it. */
	trustsProxy: boolean
	/** Level and format of the log. */
	log: LogOptions
	/** The variables of edge/platform/env.ts that are set, unparsed. */
	variables: Record<string, string>
	/** All variables that are set, for child processes. */
	env: NodeJS.ProcessEnv
}

export const printUsage = (command: Command): string => `${command} [-- options]
${command === 'npm run dev' ? '\nLike npm start, and reloads the Worker, pages, migrations and transcoder when a file changes.\n' : ''}
  --no-daemon   do not start the transcoder
  --no-backup   apply migrations without a backup before them
  --no-install  do not install ffmpeg and bubblewrap, which apt-get does as root on Debian
  --help        show this help

Environment variables. They can also be set in DATA_DIR/.env and ./.env; the environment wins, then DATA_DIR/.env.
Variables of this command:
  HOST          address to listen on (default 127.0.0.1)
  PORT          port to listen on (default 8787); 0 picks a free port${command === 'npm run dev' ? '\n  INSPECTOR_PORT  port for a debugger of the Worker (default none)' : ''}
  DATA_DIR      folder for all data (default .playhouse)
  LOG_LEVEL     debug, info (default), warn or error; requests are logged at debug
  LOG_FORMAT    pretty (default) or json, for programs that read the log
  TRUST_PROXY   true: take callers' addresses from X-Forwarded-For
  FFMPEG_PATH   path of ffmpeg; FFPROBE_PATH likewise
  PLAYHOUSE_INSTALL  false: like --no-install
  PLAYHOUSE_ALLOW_UNSANDBOXED  true: transcode even if bubblewrap does not work; the default
                if only this machine can connect (HOST is loopback, no TRUST_PROXY, no PUBLIC_URL)
  ENVIRONMENT   production (default with TRUST_PROXY or an https PUBLIC_URL) or development
Variables of the Worker, which .env.example explains:
${listVariables()}
Each can be in a file, whose path is in the variable with _FILE behind its name, such as AUTH_SECRET_FILE`

export async function readSettings(
	args: string[],
	processEnv: NodeJS.ProcessEnv,
	command: Command = 'npm start',
): Promise<Settings | 'help'> {
	const options = parseOptions(args, command)
	if (options.help) return 'help'
	const shared = await readShared(processEnv)
	const dataDir = resolve(shared.DATA_DIR || defaultDataDirectory)
	const env = withSecrets({
		...shared,
		...(await readEnvFile(join(dataDir, '.env'))),
		...present(processEnv),
		...(options['no-install'] && { PLAYHOUSE_INSTALL: 'false' }),
	})
	return {
		host: env.HOST || '127.0.0.1',
		port: parsePort(env.PORT || '8787'),
		dataDir,
		withDaemon: !options['no-daemon'],
		withBackup: !options['no-backup'],
		trustsProxy: env.TRUST_PROXY === 'true' || env.TRUST_PROXY === '1',
		log: checkLogOptions(env, process.stdout),
		variables: checkVariables(env),
		env,
	}
}

export const defaultDataDirectory = join(root, '.playhouse')

/** Returns the data directory that `npm start` uses with these variables. */
export const findDataDirectory = async (processEnv: NodeJS.ProcessEnv): Promise<string> =>
	resolve((await readShared(processEnv)).DATA_DIR || defaultDataDirectory)

const readShared = async (processEnv: NodeJS.ProcessEnv): Promise<NodeJS.ProcessEnv> => ({
	...(await readEnvFile(join(root, '.env'))),
	...present(processEnv),
})

/**
 * Returns whether only this machine can connect. Then the transcoder may run without a sandbox: anyone who could
 * upload a harmful file already has access to the machine.
 */
export function isForThisMachineOnly({
	host,
	trustsProxy,
	variables,
}: Pick<Settings, 'host' | 'trustsProxy' | 'variables'>): boolean {
	const isLoopback = host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host)
	return isLoopback && !trustsProxy && variables.PUBLIC_URL === undefined
}

/** Returns whether mails are shown below /_dev/mail: only this machine can connect, and no mail server is set. */
export function hasMailbox(settings: Pick<Settings, 'host' | 'trustsProxy' | 'variables'>): boolean {
	const { ENVIRONMENT, SMTP_URL, MAIL_API_URL } = settings.variables
	return isForThisMachineOnly(settings) && ENVIRONMENT !== 'production' && !SMTP_URL && !MAIL_API_URL
}

/** Returns whether other machines connect. Development aids are off then: mails on the console, plain http. */
export const isHosted = ({ trustsProxy, variables }: Pick<Settings, 'trustsProxy' | 'variables'>): boolean =>
	trustsProxy || (variables.PUBLIC_URL ?? '').startsWith('https:')

/** Returns whether `npm run dev` may run, which exposes internals. */
export const isForDevelopment = (settings: Pick<Settings, 'trustsProxy' | 'variables'>): boolean =>
	!isHosted(settings) && settings.variables.ENVIRONMENT !== 'production'

function parseOptions(args: string[], command: Command) {
	try {
		const types = {
			'no-daemon': { type: 'boolean' },
			'no-backup': { type: 'boolean' },
			'no-install': { type: 'boolean' },
			help: { type: 'boolean', short: 'h' },
		} as const
		return parseArgs({ args, options: types }).values
	} catch (error) {
		throw new StartFailure(`${(error as Error).message.split('.')[0]}; see ${command} -- --help`)
	}
}

/** Every variable of the Worker can be in a file; see readSecretFiles. */
function withSecrets(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
	const { env: complete, problems } = readSecretFiles(env, Object.keys(Variables.shape))
	if (problems.length > 0) throw new StartFailure(problems.join('; '))
	return complete
}

// An empty variable counts as unset, as in the Worker.
function present(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
	return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''))
}

async function readEnvFile(path: string): Promise<NodeJS.ProcessEnv> {
	try {
		return present(parseEnv(await readFile(path, 'utf8')))
	} catch (error) {
		// DATA_DIR may be missing or a file; openDataDirectory reports that.
		if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return {}
		throw error
	}
}

export function parsePort(text: string, name = 'PORT'): number {
	const port = Number(text)
	if (!/^\d+$/.test(text) || port > 65_535)
		throw new StartFailure(`${name}: must be a number from 0 to 65535, not ${text}`)
	return port
}

/** Validates the Worker's variables at the start instead of at its first request. */
function checkVariables(env: NodeJS.ProcessEnv): Record<string, string> {
	const workerVariables = Object.fromEntries(
		Object.keys(Variables.shape).flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
	)
	const result = Variables.safeParse(workerVariables)
	if (result.success) return workerVariables
	throw new StartFailure(
		result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; '),
	)
}
