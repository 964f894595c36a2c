/** A file and its text, by its path from the root. */
export type TextFile = { path: string; text: string }

/** A string or template literal, without its quotes and without the expressions in a template. */
export type Literal = { text: string; start: number }

export type SourceText = {
	/** The code with blanks in place of comments, regular expressions and literals, so that offsets stay valid. */
	code: string
	literals: Literal[]
	/** Regular expressions, as they are written. */
	expressions: Literal[]
}

/** One character of code, and all that follow up to one that may end it. */
const plainCode = /^[\s\S][^/'"`{}]*/
const regexMayFollow = /(^|[([{,;=:!&|?+*%<>~^-]|\b(return|typeof|case|await|yield|in|of))\s*$/

/** Separates the code of a TypeScript or JavaScript file from its literals and comments. */
export function splitSource(source: string): SourceText {
	const literals: Literal[] = []
	const expressions: Literal[] = []
	let code = ''
	let at = 0
	/** Template literals that are open, innermost last: the literal, and the depth of braces in its expression. */
	const templates: { literal: Literal; depth: number }[] = []

	const blank = (to: number) => {
		code += source.slice(at, to).replace(/[^\n]/g, ' ')
		at = to
	}
	const blankMatch = (pattern: RegExp): string => {
		pattern.lastIndex = at
		const [found = source[at] ?? ''] = pattern.exec(source) ?? []
		blank(at + found.length)
		return found
	}
	const readTemplate = (template: { literal: Literal; depth: number }) => {
		template.literal.text += blankMatch(/(?:\\[\s\S]|\$(?!\{)|[^\\`$])*/y)
		if (source.startsWith('${', at)) {
			template.literal.text += ' '
			blank(at + 2)
		} else {
			blank(Math.min(at + 1, source.length))
			templates.pop()
		}
	}

	while (at < source.length) {
		const next = source[at] ?? ''
		const template = templates.at(-1)
		if (next === '/' && source[at + 1] === '/') blankMatch(/\/\/[^\n]*/y)
		else if (next === '/' && source[at + 1] === '*') blankMatch(/\/\*[\s\S]*?(?:\*\/|$)/y)
		else if (next === "'" || next === '"') {
			const start = at
			const text = blankMatch(next === "'" ? /'(?:\\[\s\S]|[^'\\\n])*'?/y : /"(?:\\[\s\S]|[^"\\\n])*"?/y)
			literals.push({ text: text.slice(1, -1), start })
		} else if (next === '`') {
			const literal = { text: '', start: at }
			literals.push(literal)
			const opened = { literal, depth: 0 }
			templates.push(opened)
			blank(at + 1)
			readTemplate(opened)
		} else if (next === '/' && regexMayFollow.test(code.slice(-40))) {
			const start = at
			expressions.push({ text: blankMatch(/\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y), start })
		} else if (template && next === '}' && template.depth === 0) {
			blank(at + 1)
			readTemplate(template)
		} else {
			if (template && next === '{') template.depth++
			if (template && next === '}') template.depth--
			const [run = next] = plainCode.exec(source.slice(at, at + 200)) ?? []
			code += run
			at += run.length
		}
	}
	return { code, literals, expressions }
}

/** Returns the literals between the parenthesis at `open` and the one that closes it. */
export function findLiteralsInCall({ code, literals }: SourceText, open: number): Literal[] {
	let depth = 0
	let end = open
	for (; end < code.length; end++) {
		if (code[end] === '(') depth++
		if (code[end] === ')' && --depth === 0) break
	}
	return literals.filter(({ start }) => start > open && start < end)
}
