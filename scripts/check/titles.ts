import { type Literal, splitSource, type TextFile } from './source-text.ts'

/** First words of titles that need their `describe` to be understood. */
const fragmentStarts = [
	"is are was were be being has have had do does did get gets can can’t can't cannot may must will",
	'never not only also even once and or but it its that which who whose where',
	'of with without for from to by as in at on under between among',
	'before after during until when while if because',
]
	.join(' ')
	.replaceAll(' ', '|')
const fragment = new RegExp(`^(?:${fragmentStarts})(?![\\w’'-])`)
const quotedFragment = new RegExp(`['"\`](?:${fragmentStarts})(?![\\w’'-])`)

/** Returns a line for each test whose title is a fragment. */
export function findTitleProblems(files: readonly TextFile[]): string[] {
	// Most files hold no such literal and need no parsing.
	const suspects = files.filter(({ text }) => quotedFragment.test(text))
	return suspects.flatMap(({ path, text }) =>
		testTitles(text).flatMap((title) => {
			const [word] = fragment.exec(title.text) ?? []
			if (!word) return []
			const line = text.slice(0, title.start).split('\n').length
			return [
				`${path}:${line}: the title “${title.text}” begins with “${word}”; name what it is about, so that it can be understood without its describe`,
			]
		}),
	)
}

function testTitles(text: string): Literal[] {
	const { code, literals } = splitSource(text)
	const byStart = new Map(literals.map((literal) => [literal.start, literal]))
	return [...code.matchAll(/(?<![\w.$])(?:test|it)(?=[.<(])/g)].flatMap(({ index, 0: name }) => {
		// Walks over `.each`, type arguments and earlier calls, up to the call that begins with a literal.
		for (let at = index + name.length; at < code.length; ) {
			if (code[at] === '.') at += /^\.\w*/.exec(code.slice(at, at + 30))?.[0].length ?? 1
			else if (code[at] === '<') at = endOf(code, at, '>')
			else if (code[at] === '(') {
				const title = byStart.get(at + 1 + text.slice(at + 1).search(/\S/))
				if (title) return [title]
				at = endOf(code, at, ')')
			} else return []
		}
		return []
	})
}

/** Returns the offset behind the bracket that closes the one at `open`. */
function endOf(code: string, open: number, closing: ')' | '>'): number {
	for (let at = open, depth = 0; at < code.length; at++) {
		if (code[at] === code[open]) depth++
		// `=>` closes nothing.
		if (code[at] === closing && code[at - 1] !== '=' && --depth === 0) return at + 1
	}
	return code.length
}
