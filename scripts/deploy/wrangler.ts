import { execa } from 'execa'

export type Wrangler = {
	/** Returns standard output; throws WranglerError on failure. */
	run(args: string[], options?: { input?: string; env?: Record<string, string> }): Promise<string>
}

/** Carries wrangler's output with secrets redacted. */
export class WranglerError extends Error {
	readonly output: string

	constructor(args: string[], output: string) {
		super(`wrangler ${args.join(' ')} failed`)
		this.output = output
	}
}

/** Returns the wrangler on PATH, without prompts. */
export function findWrangler(cwd: string, secrets: () => Iterable<string>): Wrangler {
	return {
		async run(args, { input, env } = {}) {
			const result = await execa('wrangler', args, {
				cwd,
				env: { WRANGLER_SEND_METRICS: 'false', NO_COLOR: '1', FORCE_COLOR: '0', ...env },
				all: true,
				reject: false,
				...(input === undefined ? { stdin: 'ignore' } : { input }),
			})
			if (!result.failed) return result.stdout
			if (result.code === 'ENOENT')
				throw new WranglerError(
					args,
					'wrangler was not found; start with `npm run deploy`, which installs it',
				)
			throw new WranglerError(args, redact(result.all, secrets()))
		},
	}
}

function redact(text: string, secrets: Iterable<string>): string {
	let clean = text
	for (const secret of secrets) clean = clean.replaceAll(secret, '•••')
	return clean.trim()
}
