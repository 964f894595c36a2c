import { execa } from 'execa'

export type Wrangler = {
	/** Standard output; throws WranglerError when it fails. */
	run(args: string[], options?: { input?: string; env?: Record<string, string> }): Promise<string>
}

/** Carries what wrangler said, with secrets blotted out. */
export class WranglerError extends Error {
	readonly output: string

	constructor(args: string[], output: string) {
		super(`wrangler ${args.join(' ')} failed`)
		this.output = output
	}
}

/** The wrangler on PATH, never asking anything: whoever must be asked was asked before. */
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
				throw new WranglerError(args, 'wrangler was not found; `npm run deploy` brings it along')
			throw new WranglerError(args, blotOut(result.all, secrets()))
		},
	}
}

function blotOut(text: string, secrets: Iterable<string>): string {
	let clean = text
	for (const secret of secrets) clean = clean.replaceAll(secret, '•••')
	return clean.trim()
}
