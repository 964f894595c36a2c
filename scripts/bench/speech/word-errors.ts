/** Compares what was heard with what was said, word by word, without case and punctuation. */
export function computeWordErrorRate(said: string, heard: string): number {
	const reference = splitIntoWords(said)
	return reference.length === 0 ? 0 : editDistance(reference, splitIntoWords(heard)) / reference.length
}

export const splitIntoWords = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? []

/** The smallest number of words to insert, delete or replace (Levenshtein). */
function editDistance(reference: readonly string[], heard: readonly string[]): number {
	let row = heard.map((_, at) => at + 1)
	row.unshift(0)
	for (const [done, word] of reference.entries()) {
		const next = [done + 1]
		for (const [at, other] of heard.entries()) {
			const replaced = (row[at] ?? 0) + (word === other ? 0 : 1)
			next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1))
		}
		row = next
	}
	return row.at(-1) ?? 0
}
