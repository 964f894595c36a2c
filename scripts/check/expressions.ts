import { readFile, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { readFlags } from '../lib/command-options.ts'
import { listRepositoryFiles } from '../lib/repository-files.ts'
import { root } from '../lib/root.ts'
import { exceptions } from './expressions/exceptions.ts'
import type { Growth } from './expressions/growth.ts'
import { splitSource } from './source-text.ts'

/** Where expressions may match untrusted text. */
const CHECKED = /^(edge|schema\/contract|transcoder-daemon)\/.*\.(ts|js|mjs)$/
/** Expressions without proven superlinear time. Judging all takes minutes, so the verdicts are committed. */
const LINEAR = join(root, 'scripts', 'check', 'expressions', 'linear.txt')

export type FoundExpression = { path: string; line: number; text: string }

/** Returns the regular expressions of a file. `new RegExp` of anything but a literal can't be judged here. */
export function findExpressions(path: string, source: string): FoundExpression[] {
	const { code, expressions } = splitSource(source)
	const composed = [...code.matchAll(/\bnew RegExp\(/g)].map(({ index }) => ({
		text: 'new RegExp',
		start: index,
	}))
	return [...expressions, ...composed].map(({ text, start }) => ({
		path,
		line: source.slice(0, start).split('\n').length,
		text,
	}))
}

/** Whether a lookahead scans the rest of the text from each position, which recheck does not detect. */
const scansAhead = (text: string): boolean => /\(\?[=!]\.[*+]/.test(text)

/** Without an unbounded quantifier, an expression takes constant time per position. */
const mayGrow = (text: string): boolean => /[*+]|\{\d+,\}/.test(text)

/** Returns why an expression is refused, by its text; the others take linear time. */
export async function judgeExpressions(
	texts: readonly string[],
	grow: (texts: readonly string[]) => Promise<readonly Growth[]>,
): Promise<Map<string, string>> {
	const judged = [...new Set(texts)].filter((text) => text !== 'new RegExp' && mayGrow(text))
	const growths = await grow(judged.filter((text) => !scansAhead(text)))
	return new Map([
		...texts
			.filter((text) => text === 'new RegExp')
			.map((text) => [text, 'is composed, so nobody judges it'] as const),
		...judged
			.filter(scansAhead)
			.map((text) => [text, 'has a lookahead that scans the rest of the text'] as const),
		...growths.flatMap(({ text, problem }) => (problem === null ? [] : [[text, problem] as const])),
	])
}

/** Judges expressions in as many threads as there are processors. */
async function growInThreads(texts: readonly string[]): Promise<Growth[]> {
	const count = Math.min(availableParallelism(), Math.ceil(texts.length / 10))
	const groups = Array.from({ length: count }, (_, at) => texts.filter((_, k) => k % count === at))
	const answers = await Promise.all(
		groups.map(
			(workerData) =>
				new Promise<Growth[]>((resolve, reject) => {
					const worker = new Worker(new URL('./expressions/growth.ts', import.meta.url), { workerData })
					worker.once('message', resolve).once('error', reject)
				}),
		),
	)
	return answers.flat()
}

const help = `Usage: npm run expressions

Judges the regular expressions that are not in scripts/check/expressions/linear.txt, and adds those that take linear time.
\`npm run check\` fails for the others.`

const unjudged = (text: string): Growth => ({ text, problem: 'is not judged yet; run: npm run expressions' })

if (import.meta.main) {
	const paths = listRepositoryFiles(root).filter((path) => CHECKED.test(path))
	const found = (
		await Promise.all(
			paths.map(async (path) => findExpressions(path, await readFile(join(root, path), 'utf8'))),
		)
	).flat()
	const { judge } = readFlags(help, 'judge')
	const linear = new Set((await readFile(LINEAR, 'utf8')).split('\n'))
	const refused = await judgeExpressions(
		found.map(({ text }) => text),
		async (texts) => {
			const unknown = texts.filter((text) => !linear.has(text))
			const growths = judge ? await growInThreads(unknown) : unknown.map(unjudged)
			const judged = growths.filter(({ problem }) => problem === null).map(({ text }) => text)
			const kept = texts.filter((text) => linear.has(text))
			if (judge) await writeFile(LINEAR, `${[...kept, ...judged].toSorted().join('\n')}\n`)
			return growths
		},
	)
	const isException = ({ path, text }: FoundExpression) =>
		exceptions.some((each) => each.path === path && each.expression === text)
	const problems = found.flatMap((each) => {
		const problem = refused.get(each.text)
		return problem === undefined || isException(each)
			? []
			: [`${each.path}:${each.line}: ${each.text} ${problem}`]
	})
	const unused = exceptions.filter(
		({ path, expression }) => !found.some((each) => each.path === path && each.text === expression),
	)
	problems.push(
		...unused.map(({ path, expression }) => `${path}: the exception for ${expression} is not needed`),
	)
	for (const problem of problems) console.error(problem)
	if (problems.length > 0) process.exitCode = 1
}
