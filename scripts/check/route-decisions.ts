import { type SourceText, splitSource } from './source-text.ts'

type RouteFile = { path: string; text: string }
type Problem = { at: number; message: string }

export const isRouteFile = (path: string): boolean => /^edge\/(.*\/)?([a-z-]+-)?routes\.ts$/.test(path)

/** Names of reads: a whole word, so that `issue` does not pass as `is`. */
const readName = /^(list|find|count|search|is|has|read)(?![a-z])/
/** Codes about the shape of a request. Others depend on stored data, which verbs check. */
const shapeCodes: readonly string[] = ['validation', 'malformed', 'unsupported_media_type']

const storeCall = /\b\w+Store\(/g
const errorCall = /(?<!\bfunction )(?<!\.)\b(new )?(\w+Error)\(/g
/** The declaration whose value starts where the text ends: a name, or the properties taken from the value. */
const declaration = /\b(?:const|let)\s+(?:(\w+)[^=;{}]*|\{([^}]*)\}\s*)=(?:[=!]==|[^=;{}(])*$/

/** Returns a line for each write to a store and each decision about an error in files of routes. */
export function findRouteProblems(files: readonly RouteFile[]): string[] {
	return files
		.filter(({ path }) => isRouteFile(path))
		.flatMap(({ path, text }) => {
			const source = splitSource(text)
			return [...storeProblems(source), ...errorProblems(source)]
				.toSorted((a, b) => a.at - b.at)
				.map(({ at, message }) => `${path}:${text.slice(0, at).split('\n').length}: ${message}`)
		})
}

const storeProblem = (at: number, name: string): Problem => ({
	at,
	message: `${name} of a store is not a plain read; call it in a verb, or start the name of a read with list, find, count, search, is, has or read`,
})

function storeProblems({ code }: SourceText): Problem[] {
	const problems: Problem[] = []
	const variables = new Set<string>()
	const check = (at: number, name: string) => {
		if (!readName.test(name)) problems.push(storeProblem(at, name))
	}
	for (const match of code.matchAll(storeCall)) {
		const end = endOfCall(code, match.index + match[0].length - 1)
		const method = /^\s*\??\.\s*(\w+)/.exec(code.slice(end))
		if (method) check(match.index, method[1] ?? '')
		else {
			const [, variable, properties] = declaration.exec(code.slice(0, match.index)) ?? []
			if (variable) variables.add(variable)
			for (const property of properties?.split(',') ?? []) {
				const [name] = /\w+/.exec(property) ?? []
				if (name) check(match.index, name)
			}
		}
	}
	for (const match of code.matchAll(/(?<![.\w])(\w+)\s*\??\.\s*(\w+)/g))
		if (variables.has(match[1] ?? '')) check(match.index, match[2] ?? '')
	return problems
}

function errorProblems(source: SourceText): Problem[] {
	const { code } = source
	return [...code.matchAll(errorCall)].flatMap((match): Problem[] => {
		const [{ length }, isNew, name = ''] = match
		const at = match.index
		if (name === 'AppError') {
			const errorCode = literalArgument(source, at + length)
			if (errorCode !== undefined && shapeCodes.includes(errorCode)) return []
			const found = errorCode === undefined ? 'an AppError with a computed code' : `an AppError ${errorCode}`
			return [{ at, message: `${found} is a decision; throw it in a verb` }]
		}
		// A local function is checked where it constructs its error.
		if (isNew || new RegExp(`\\b(const|function) ${name}\\b`).test(code)) return []
		return [{ at, message: `${name}() is a decision; throw it in a verb` }]
	})
}

/** Returns the text of the first argument if it is a single literal. `start` is the offset after the parenthesis. */
function literalArgument({ code, literals }: SourceText, start: number): string | undefined {
	const [argument = ''] = /^\s*(?=[,)])/.exec(code.slice(start)) ?? []
	const inArgument = literals.filter(
		(literal) => literal.start >= start && literal.start < start + argument.length,
	)
	return inArgument.length === 1 ? inArgument[0]?.text : undefined
}

/** Returns the offset after the parenthesis that closes the one at `open`. */
function endOfCall(code: string, open: number): number {
	let depth = 0
	for (let at = open; at < code.length; at++) {
		if (code[at] === '(') depth++
		if (code[at] === ')' && --depth === 0) return at + 1
	}
	return code.length
}
