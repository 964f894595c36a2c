export type Link = { target: string; line: number }

type Line = { text: string; line: number }

/** Returns every link, image and link definition of a Markdown text, in order. */
export function findLinks(markdown: string): Link[] {
	return findProse(markdown).flatMap(({ text, line }) => {
		const withoutCode = text.replace(/(`+)(?!`).*?[^`]\1(?!`)/g, (code) => ' '.repeat(code.length))
		return patterns.flatMap((pattern) =>
			[...withoutCode.matchAll(pattern)].map((match) => ({ target: match[1] ?? match[2] ?? '', line })),
		)
	})
}

const patterns = [
	// [text](target "title") and ![text](<target with spaces>)
	/\]\(\s*(?:<([^>]*)>|([^\s()]*(?:\([^\s()]*\)[^\s()]*)*))(?:\s+["'][^)]*)?\s*\)/g,
	// [label]: target
	/^ {0,3}\[[^\]^][^\]]*\]:\s+(\S+)/g,
	// <img src="target">, <a href="target">, <source srcset="target">
	/<[a-z][^>]*?\s(?:src|href|srcset)="([^"]*)"/gi,
]

/** Returns the anchors that GitHub gives a Markdown text: one for each heading, and every explicit id. */
export function findAnchors(markdown: string): Set<string> {
	const anchors = new Set<string>()
	const seen = new Map<string, number>()
	for (const { text } of findProse(markdown)) {
		for (const [, id] of text.matchAll(/<[a-z][^>]*?\s(?:id|name)="([^"]+)"/gi)) if (id) anchors.add(id)
		const [, heading] = /^ {0,3}#{1,6}\s+(.*?)(?:\s+#+)?\s*$/.exec(text) ?? []
		if (heading === undefined) continue
		const anchor = anchorOf(heading)
		const count = seen.get(anchor) ?? 0
		seen.set(anchor, count + 1)
		anchors.add(count === 0 ? anchor : `${anchor}-${count}`)
	}
	return anchors
}

/**
 * Returns GitHub's anchor of a heading: its visible text in lower case, without punctuation, with hyphens for spaces.
 */
const anchorOf = (heading: string): string =>
	heading
		.replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
		.replace(/<[^>]+>/g, '')
		.toLowerCase()
		.replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
		.replaceAll(' ', '-')

/** Returns the lines outside fenced code blocks and comments. */
export function findProse(markdown: string): Line[] {
	const blanked = markdown.replace(/<!--[\s\S]*?-->/g, (comment) => comment.replace(/[^\n]/g, ' '))
	const prose: Line[] = []
	let fence: string | null = null
	for (const [index, text] of blanked.split(/\r?\n/).entries()) {
		const [, mark = ''] = /^\s*(`{3,}|~{3,})/.exec(text) ?? []
		if (fence === null && mark) fence = mark
		else if (fence !== null) {
			if (mark.startsWith(fence) && text.trim() === mark) fence = null
		} else prose.push({ text, line: index + 1 })
	}
	return prose
}
