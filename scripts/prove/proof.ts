import { parseOptions } from '../lib/command-options.ts'
import { type LongTests, runLongTests } from './lib/long-tests.ts'

type Option = { about: string } & (
	| { kind: 'flag' }
	| { kind: 'text'; value: string }
	| { kind: 'number'; default: string; min: 0 | 1 }
)

export const flag = (about: string) => ({ kind: 'flag', about }) as const
export const text = (value: string, about: string) => ({ kind: 'text', value, about }) as const
export const number = (standard: number, about: string, min: 0 | 1 = 1) =>
	({ kind: 'number', default: String(standard), about, min }) as const

type Value<O extends Option> = O['kind'] extends 'flag'
	? boolean
	: O['kind'] extends 'number'
		? string
		: string | undefined

/** The long version of tests. */
export type Proof = {
	/** What is proved. The list of all proofs shows the first sentence. */
	about: string
	options: Record<string, Option>
	/** More text for the help. */
	note?: string
	/** Runs of vitest, one after the other until one fails. */
	// biome-ignore lint/suspicious/noExplicitAny: `proof` checks the values against the options.
	runs(values: any): LongTests[] | { problem: string }
}

export function proof<const O extends Record<string, Option>>(proof: {
	about: string
	options?: O
	note?: string
	runs(values: { [Name in keyof O]: Value<O[Name]> }): LongTests[] | { problem: string }
}): Proof {
	return { ...proof, options: proof.options ?? {} }
}

export const isNumber = (value: string): boolean => /^\d{1,9}$/.test(value)

/** Runs a proof with the options of the command line. Sets the exit code. */
export async function runProof(name: string, proof: Proof, args: readonly string[]): Promise<void> {
	const { values }: { values: Record<string, string | boolean | undefined> } = parseOptions({
		args: [...args],
		options: { ...parsed(proof), help: { type: 'boolean', short: 'h' } },
	})
	const problems = Object.entries(proof.options).flatMap(([option, it]) =>
		it.kind === 'number' && !(isNumber(String(values[option])) && Number(values[option]) >= it.min)
			? [`--${option} must be a whole number from ${it.min}`]
			: [],
	)
	if (values.help) {
		console.log(describe(name, proof))
		return
	}
	const runs = problems.length > 0 ? { problem: problems.join('\n') } : proof.runs(values)
	if ('problem' in runs) {
		console.error(`${runs.problem}; see --help.`)
		process.exitCode = 2
		return
	}
	for (const run of runs) {
		await runLongTests(run)
		if (process.exitCode !== 0) return
	}
}

const parsed = ({ options }: Proof) =>
	Object.fromEntries(
		Object.entries(options).map(([name, option]) => [
			name,
			option.kind === 'flag'
				? { type: 'boolean' as const, default: false }
				: { type: 'string' as const, ...('default' in option && { default: option.default }) },
		]),
	)

function describe(name: string, { about, options, note }: Proof): string {
	const rows = Object.entries(options).map(([option, it]): [string, string] => {
		const value = it.kind === 'flag' ? '' : it.kind === 'number' ? ' N' : ` ${it.value}`
		return [`--${option}${value}`, it.kind === 'number' ? `${it.about} (default ${it.default})` : it.about]
	})
	rows.push(['--help', 'show this help'])
	const width = Math.max(...rows.map(([option]) => option.length)) + 3
	const list = rows.map(([option, about]) => `  ${option.padEnd(width)}${about}`)
	return [about, `  npm run prove -- ${name} [options]`, list.join('\n'), ...(note ? [note] : []), ''].join(
		'\n\n',
	)
}
