import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { explainSilence } from './silence.mjs'

type Output = { print(line: string): void; silentMs?: number }

const OFFLINE =
	'apt-get needs the network: check the connection and the proxy of apt, or stop with Ctrl-C, install the package yourself and start again'

/**
 * Installs a distribution package non-interactively: as root, on Debian and its derivatives. Announces what and why.
 * `purpose` continues after "to"; PLAYHOUSE_INSTALL=false declines.
 */
export async function installDebianPackage(
	name: string,
	purpose: string,
	env: NodeJS.ProcessEnv = process.env,
	output: Output = { print: (line) => console.error(line) },
): Promise<boolean> {
	if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) return false
	if (env.PLAYHOUSE_INSTALL === 'false') return false
	output.print(
		`Installing ${name} with apt-get, to ${purpose}. Set PLAYHOUSE_INSTALL=false to install nothing.`,
	)
	// A new container has no package lists, and outdated lists name versions that no longer exist.
	const isInstalled =
		(await aptGet(env, output, 'update')) &&
		(await aptGet(env, output, 'install', '--yes', '--no-install-recommends', name))
	if (!isInstalled)
		output.print(`apt-get could not install ${name}; install it yourself: apt install ${name}`)
	return isInstalled
}

async function aptGet(
	env: NodeJS.ProcessEnv,
	{ print, silentMs }: Output,
	...args: string[]
): Promise<boolean> {
	const silence = explainSilence(OFFLINE, print, silentMs)
	try {
		const child = spawn('apt-get', ['--quiet', ...args], {
			stdio: ['ignore', 'pipe', 'inherit'],
			env: { ...env, DEBIAN_FRONTEND: 'noninteractive' },
		})
		createInterface({ input: child.stdout }).on('line', (line) => {
			if (/^(Get|Hit|Preparing|Unpacking|Setting up)\b/.test(line)) silence.arrived()
			else if (/^(Err|Ign):/.test(line)) silence.failed(line)
		})
		const [code] = await once(child, 'close')
		return code === 0
	} catch (error) {
		print(`apt-get could not start: ${(error as Error).message}`)
		return false
	} finally {
		silence.end()
	}
}
