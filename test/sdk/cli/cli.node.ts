import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { buildCli } from '../../../scripts/lib/sdk/build-cli.ts'
import { Playhouse } from '../../../sdk/src/index.ts'
import { oncePerRun } from '../../support/shared/once-per-run.ts'

type StartOptions = { env?: Record<string, string>; input?: string; cwd?: string }

const startProcess = (
	file: string,
	args: readonly string[],
	{ env = {}, input = '', cwd = '/' }: StartOptions,
) => execa(process.execPath, [file, ...args], { env, extendEnv: false, cwd, input, reject: false })

/** The command line as the package contains it, with a home folder of its own. */
export async function openCommandLine(more: Record<string, string> = {}) {
	const file = join(await oncePerRun('cli', buildCli), 'main.js')
	const folder = await mkdtemp(join(tmpdir(), 'playhouse-cli-'))
	const env: Record<string, string> = {
		PATH: process.env.PATH ?? '',
		HOME: folder,
		XDG_CONFIG_HOME: join(folder, 'config'),
		XDG_STATE_HOME: join(folder, 'state'),
		...more,
	}
	/** Starts a command, which a test can interrupt. */
	const start = (args: readonly string[], options: StartOptions = {}) =>
		startProcess(file, args, { cwd: folder, ...options, env: { ...env, ...options.env } })
	return {
		/** The command for a shell. */
		command: `'${process.execPath}' '${file}'`,
		folder,
		env,
		start,
		/** Runs a command to its end. */
		run: async (...args: string[]) => await start(args),
	}
}
export type CommandLine = Awaited<ReturnType<typeof openCommandLine>>

export const removeCommandLine = ({ folder }: CommandLine): Promise<void> =>
	rm(folder, { recursive: true, force: true })

type Scope = 'read' | 'write' | 'admin'

/** Signs an owner up, and returns a client of the owner and an API key. */
export async function createOwner(baseUrl: string, email: string, scopes: Scope[] = ['read', 'write']) {
	const password = 'correct horse battery'
	const { token, org } = await new Playhouse({ baseUrl }).auth.signup({ email, password, name: 'Ada' })
	const owner = new Playhouse({ baseUrl, token })
	const { key } = await owner.apiKeys.create({ orgId: org.id, name: 'test', scopes })
	return { owner, org, key, playhouse: new Playhouse({ baseUrl, apiKey: key }) }
}
