import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { listRepositoryFiles } from '../lib/repository-files.ts'
import { root } from '../lib/root.ts'
import { type BannedWord, bannedWords, type Exception, exceptions } from './banned-words.ts'
import { findProse } from './markdown-links.ts'
import {
	findLiteralsInCall,
	type Literal,
	type SourceText,
	splitSource,
	type TextFile,
} from './source-text.ts'

type Fragment = { kind: 'name' | 'text'; text: string; start: number }

export type WordProblem = {
	file: string
	line: number
	word: string
	kind: Fragment['kind']
	found: string
	instead: string
}

const sourceFile = /\.(ts|mts|js|mjs)$/
/** Files whose literals people read: mails, and the pages that their links open. */
const mailFile = /^edge\/(accounts\/mail\/.*(templates|layout|pages)|.*-mail|.*\/mails)\.ts$/
/** Calls whose literals are public: errors, log entries and script output. */
const publicCall =
	/\b(?:new )?\w*(?:Error|Failure|Refusal)\(|\blog\.(?:debug|info|warn|error)\(|\bconsole\.\w+\(/g
const helpText = /\b(?:const|let) \w*(?:help|usage)\w*\b[^\n]*=/gi

/** Returns every banned word in the names and the public texts of files. */
export function findBannedWords(
	files: readonly TextFile[],
	words: readonly BannedWord[] = bannedWords,
	allowed: readonly Exception[] = exceptions,
): WordProblem[] {
	const byForm = new Map(words.flatMap((word) => word.forms.map((form) => [form, word] as const)))
	const anyForm = formPattern([...byForm.keys()])
	return files.flatMap(({ path, text }) => {
		const isClean = !anyForm.test(path) && !anyForm.test(text)
		const fragments = isClean ? [] : fragmentsOf(path, text)
		const problems = fragments.flatMap(({ kind, text: found, start }) =>
			wordsIn(found).flatMap(({ word, at }): WordProblem[] => {
				const banned = byForm.get(word)
				if (!banned || (kind === 'name' ? banned.textsOnly : banned.namesOnly)) return []
				if (allowed.some((each) => each.word === word && path.startsWith(each.path))) return []
				const line = text.slice(0, start).split('\n').length
				return [{ file: path, line, word, kind, found: excerpt(found, at), instead: banned.instead }]
			}),
		)
		// A name is reported once per file.
		return [...Map.groupBy(problems, (problem) => `${problem.kind} ${problem.found}`).values()].flatMap(
			([first]) => first ?? [],
		)
	})
}

function excerpt(text: string, at: number): string {
	const [from, to] = [at - 40, at + 60]
	const part = text.slice(Math.max(0, from), to).replaceAll(/\s+/g, ' ').trim()
	return `${from > 0 ? '… ' : ''}${part}${to < text.length ? ' …' : ''}`
}

/** Matches texts that may hold one of the words; most files hold none and need no parsing. */
function formPattern(forms: readonly string[]): RegExp {
	const capitalized = forms.map((form) => `${form[0]?.toUpperCase()}${form.slice(1)}`)
	const anyOf = (words: readonly string[]) => `(?:${words.join('|')})`
	return new RegExp(
		`(?<![a-z])${anyOf(forms)}(?![a-z])|${anyOf(capitalized)}(?![a-z])|${anyOf(forms).toUpperCase()}`,
	)
}

function fragmentsOf(path: string, text: string): Fragment[] {
	const fileName: Fragment = { kind: 'name', text: path, start: 0 }
	if (path === 'schema/openapi.json') return [fileName, ...openapiTexts(JSON.parse(text), text)]
	if (path.endsWith('.md')) return [fileName, ...markdownTexts(text)]
	if (!sourceFile.test(path)) return [fileName]
	const source = splitSource(text)
	const identifiers = [...source.code.matchAll(/[A-Za-z_$][\w$]*/g)].map((match): Fragment => {
		return { kind: 'name', text: match[0], start: match.index }
	})
	const columns = path.startsWith('schema/tables/') ? source.literals : []
	return [
		fileName,
		...identifiers,
		...columns.map((literal): Fragment => ({ kind: 'name', ...literal })),
		...publicLiterals(path, source).map((literal): Fragment => ({ kind: 'text', ...literal })),
	]
}

function markdownTexts(markdown: string): Fragment[] {
	const starts = [0]
	for (const match of markdown.matchAll(/\n/g)) starts.push(match.index + 1)
	return findProse(markdown).map(({ text, line }) => ({ kind: 'text', text, start: starts[line - 1] ?? 0 }))
}

function publicLiterals(path: string, source: SourceText): Literal[] {
	if (mailFile.test(path)) return source.literals
	const inCalls = [...source.code.matchAll(publicCall)].flatMap((match) =>
		findLiteralsInCall(source, match.index + match[0].length - 1),
	)
	const helps = [...source.code.matchAll(helpText)].flatMap((match) => {
		const end = match.index + match[0].length
		return source.literals.find(({ start }) => start >= end) ?? []
	})
	return [...new Set([...inCalls, ...helps])]
}

/** Returns summaries and descriptions; the line is that of the first occurrence. */
function openapiTexts(node: unknown, file: string): Fragment[] {
	if (typeof node !== 'object' || node === null) return []
	return Object.entries(node).flatMap(([key, value]): Fragment[] => {
		if (typeof value !== 'string') return openapiTexts(value, file)
		if (key !== 'summary' && key !== 'description') return []
		return [{ kind: 'text', text: value, start: file.indexOf(JSON.stringify(value)) }]
	})
}

/** Splits camelCase, snake_case, kebab-case and prose into lower-case words. */
function wordsIn(text: string): { word: string; at: number }[] {
	return [...text.matchAll(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g)].map((match) => {
		return { word: match[0].toLowerCase(), at: match.index }
	})
}

if (import.meta.main) {
	const isRead = (path: string) =>
		sourceFile.test(path) || path.endsWith('.md') || path === 'schema/openapi.json'
	const files = await Promise.all(
		listRepositoryFiles(root).map(async (path) => ({
			path,
			text: isRead(path) ? await readFile(join(root, path), 'utf8') : '',
		})),
	)
	const problems = findBannedWords(files)
	for (const { file, line, word, kind, found, instead } of problems)
		console.error(`${file}:${line}: "${word}" in the ${kind} "${found}"; write ${instead}`)
	if (problems.length > 0) process.exitCode = 1
}
