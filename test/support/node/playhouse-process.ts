import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { root } from '../../../scripts/lib/root.ts'
import { NEXT_RELEASE } from '../../../scripts/lib/runtime/next-release.ts'
import { runEnvironment } from './run-environment.ts'

export type Playhouse = {
	/** The URL that it prints; rejects if it ends without one. */
	url: Promise<string>
	exitCode: Promise<number | null>
	output(): string
	kill(signal: NodeJS.Signals): void
}

/** Runs `npm start` until the test ends. */
export function startPlayhouse(env: Record<string, string>, ...args: string[]): Playhouse {
	const playhouse = launchPlayhouse(env, ...args)
	onTestFinished(async () => {
		playhouse.kill('SIGTERM')
		await playhouse.exitCode
	})
	return playhouse
}

/** Runs `npm start` on a free port, with little of this process's environment. */
export const launchPlayhouse = (env: Record<string, string>, ...args: string[]): Playhouse =>
	launchCommand(root, 'start', env, ...args)

/** Runs a command of package.json in the source tree at `tree`. */
export function launchCommand(
	tree: string,
	command: string,
	env: Record<string, string>,
	...args: string[]
): Playhouse {
	const { PATH = '', HOME = '', [NEXT_RELEASE]: nextRelease } = process.env
	const child = spawn(process.execPath, [join(tree, 'scripts', 'bootstrap.mjs'), command, ...args], {
		cwd: tree,
		env: {
			PATH,
			HOME,
			...runEnvironment(),
			...(nextRelease && { [NEXT_RELEASE]: nextRelease }),
			PORT: '0',
			...env,
		},
		stdio: ['ignore', 'pipe', 'pipe'],
	})
	let output = ''
	const startedUrl = Promise.withResolvers<string>()
	for (const stream of [child.stdout, child.stderr])
		stream.setEncoding('utf8').on('data', (text: string) => {
			output += text
			const url = /Playhouse is at (\S+)/.exec(output)?.[1]
			if (url) startedUrl.resolve(url)
		})
	const exitCode = once(child, 'close').then(([code]: (number | null)[]) => code ?? null)
	exitCode.then((code) => startedUrl.reject(new Error(`ended with ${code}: ${output}`)))
	// A test may wait only for the exit code.
	startedUrl.promise.catch(() => {})
	return { url: startedUrl.promise, exitCode, output: () => output, kill: (signal) => child.kill(signal) }
}
