import { relative, resolve } from 'node:path'

/** Options with which vitest prints something and ends. */
const informing: readonly string[] = ['--help', '-h', '--version', '-v']

/** Separates our own options from those of vitest. */
export const splitOwnOptions = (args: readonly string[]) => ({
	ownOptions: args.filter(isOwn),
	others: args.filter((arg) => !isOwn(arg)),
})

const isOwn = (arg: string): boolean => arg === '--times'

/**
 * Returns the arguments for vitest. Paths as a shell completes them, below `cwd`, become parts of the paths that vitest
 * knows. Of several `--changed`, the last one counts.
 */
export function buildVitestArguments(args: readonly string[], root: string, cwd: string): string[] {
	const isChanged = (arg: string) => /^--changed(=|$)/.test(arg)
	const lastChanged = args.findLastIndex(isChanged)
	return args.flatMap((arg, at) => {
		const before = args[at - 1]
		if (isChanged(arg) && at !== lastChanged) return []
		const isPath = /^(\.{0,2}\/|\.\.?$)/.test(arg)
		if (!isPath || titleOptions.includes(before ?? '')) return [arg]
		// The root itself selects everything.
		return relative(root, resolve(cwd, arg)) || (isValue(before) ? '.' : [])
	})
}

export const isInforming = (args: readonly string[]): boolean => args.some((arg) => informing.includes(arg))

const titleOptions: readonly string[] = ['-t', '--testNamePattern']

export type TestArguments = {
	/** Only tests of the project `unit`, which need no built pages. */
	isUnitOnly: boolean
	/** Whether tests of the project `node` may be among them, which alone start programs. */
	needsPrograms: boolean
	isWatching: boolean
	/** Only tests whose titles match; vitest counts all others as skipped. */
	isByTitle: boolean
	/** Only tests that import a file changed since this commit. */
	changedSince?: string
	/** Parts of paths; a test file runs if its path contains one of them. */
	names: string[]
}

/** Options of vitest that are not followed by a value. */
const flags: readonly string[] = [
	'--watch',
	'-w',
	'--run',
	'--sequence.shuffle',
	'--no-isolate',
	'--passWithNoTests',
]

export function readTestArguments(args: readonly string[], testFiles: readonly string[]): TestArguments {
	const values = (option: string) =>
		args.flatMap((arg, at) => {
			if (arg.startsWith(`${option}=`)) return [arg.slice(option.length + 1)]
			const next = args[at + 1] ?? ''
			return arg === option ? [next.startsWith('-') ? '' : next] : []
		})
	const [changed] = values('--changed')
	const projects = values('--project')
	return {
		isUnitOnly: projects.length > 0 && projects.every((project) => project === 'unit'),
		needsPrograms: projects.length === 0 || projects.some((project) => /node|\*|^!/.test(project)),
		isByTitle: args.some((arg) =>
			titleOptions.some((option) => arg === option || arg.startsWith(`${option}=`)),
		),
		isWatching: args.includes('--watch') || args.includes('-w'),
		...(changed !== undefined && { changedSince: changed || 'HEAD' }),
		names: args.filter(
			(arg, at) =>
				!arg.startsWith('-') &&
				(!isValue(args[at - 1]) || (!takesPath(args[at - 1]) && isPathIn(testFiles, arg))),
		),
	}
}

/** Whether an argument is the value of the one before it. */
const isValue = (before: string | undefined): boolean =>
	before !== undefined && /^--?[^=]+$/.test(before) && !flags.includes(before)

const takesPath = (option: string | undefined): boolean =>
	['--exclude', '--dir', '--root', '-r', '--config', '-c', '--changed'].includes(option ?? '')

/** Whether an argument names a part of a path, also behind an option that takes no value but is not listed above. */
const isPathIn = (testFiles: readonly string[], arg: string): boolean =>
	arg.includes('/') && testFiles.some((path) => path.includes(arg))

/** Returns those names that no test file has in its path. */
export const listUnknownNames = (names: readonly string[], testFiles: readonly string[]): string[] =>
	names.filter((name) => !testFiles.some((path) => path.includes(name)))
