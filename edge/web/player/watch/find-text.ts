/** A part of a text, by the indexes of its characters. */
export type Match = { from: number; to: number }

/** A text without capitals and accents, and where each of its characters comes from. */
type Folded = { text: string; origins: number[] }

function fold(text: string): Folded {
	const parts: string[] = []
	const origins: number[] = []
	let at = 0
	for (const character of text) {
		const folded = character.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
		parts.push(folded)
		for (let i = 0; i < folded.length; i++) origins.push(at)
		at += character.length
	}
	origins.push(at)
	return { text: parts.join(''), origins }
}

/** Returns a search function that ignores case, accents and repeated spaces. */
export function createTextSearch(text: string): (query: string) => Match[] {
	const folded = fold(text)
	return (query) => {
		const wanted = fold(query.replaceAll(/\s+/g, ' ').trim()).text
		const matches: Match[] = []
		if (wanted === '') return matches
		for (let at = folded.text.indexOf(wanted); at >= 0; at = folded.text.indexOf(wanted, at + wanted.length))
			matches.push({ from: folded.origins[at] ?? 0, to: folded.origins[at + wanted.length] ?? 0 })
		return matches
	}
}
