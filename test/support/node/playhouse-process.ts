import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { root } from '../../../scripts/start/settings.ts'

export type Playhouse = {
	/** The address it prints; rejects if it ends before. */
	url: Promise<string>
	exitCode: Promise<number | null>
	output(): string
	kill(signal: NodeJS.Signals): void
}

/** `npm start`, until the test that asked for it is over. */
export function startPlayhouse(env: Record<string, string>, ...args: string[]): Playhouse {
	const playhouse = launchPlayhouse(env, ...args)
	onTestFinished(async () => {
		playhouse.kill('SIGTERM')
		await playhouse.exitCode
	})
	return playhouse
}

/** `npm start` as a process of its own, on a free port, without what this process happens to have in its environment. */
export const launchPlayhouse = (env: Record<string, string>, ...args: string[]): Playhouse =>
	launchCommand(root, 'start', env, ...args)

/** A command of package.json, in the tree at `tree`. */
export function launchCommand(
	tree: string,
	command: string,
	env: Record<string, string>,
	...args: string[]
): Playhouse {
	const { PATH = '', HOME = '' } = process.env
	const child = spawn(process.execPath, [join(tree, 'scripts', 'bootstrap.mjs'), command, ...args], {
		cwd: tree,
		env: { PATH, HOME, PORT: '0', ...env },
		stdio: ['ignore', 'pipe', 'pipe'],
	})
	let output = ''
	const address = Promise.withResolvers<string>()
	for (const stream of [child.stdout, child.stderr])
		stream.setEncoding('utf8').on('data', (text: string) => {
			output += text
			const url = /Playhouse is at (\S+)/.exec(output)?.[1]
			if (url) address.resolve(url)
		})
	const exitCode = once(child, 'close').then(([code]: (number | null)[]) => code ?? null)
	exitCode.then((code) => address.reject(new Error(`ended with ${code}: ${output}`)))
	// A test that waits for the exit code does not look at the address.
	address.promise.catch(() => {})
	return { url: address.promise, exitCode, output: () => output, kill: (signal) => child.kill(signal) }
}
