const MAX_NAMED = 5
const MAX_LENGTH = 40
const MAX_EDITS = 2

/** Describes unknown names in a request, with suggestions. The names are untrusted text. */
export function describeUnknownNames(
	kind: 'field' | 'parameter',
	names: readonly string[],
	known: readonly string[],
): string {
	const shown = names.slice(0, MAX_NAMED).map(shortened)
	const more = names.length > shown.length ? ` and ${names.length - shown.length} more` : ''
	const meant = [...new Set(shown.flatMap((name) => nearest(name, known) ?? []))]
	const listed = kind === 'parameter' ? listKnown(known) : ''
	const question = meant.length > 0 ? `; did you mean ${meant.join(', ')}` : listed
	return `unknown ${kind}${names.length > 1 ? 's' : ''} ${shown.join(', ')}${more}${question}`
}

const listKnown = (known: readonly string[]): string =>
	known.length > 0 ? `; known are ${known.join(', ')}` : '; this operation takes no query parameters'

const shortened = (name: string): string =>
	name.replaceAll(/[^\x21-\x7e]/g, '?').slice(0, MAX_LENGTH) || '(empty)'

const plain = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, '')

/** Returns the nearest known name: another case, a prefix, or at most two edits. */
function nearest(name: string, known: readonly string[]): string | undefined {
	const written = plain(name)
	const [best] = known
		.map((candidate) => ({ candidate, distance: distance(written, plain(candidate)) }))
		.filter((rated) => rated.distance <= MAX_EDITS)
		.sort((a, b) => a.distance - b.distance)
	return best?.candidate
}

function distance(a: string, b: string): number {
	if (a === b) return 0
	const [short, long] = a.length < b.length ? [a, b] : [b, a]
	if (short.length >= 4 && long.startsWith(short)) return 1
	const edits = editDistance(a, b)
	return edits * 3 <= long.length ? edits : Number.POSITIVE_INFINITY
}

/** Counts the letters to insert, delete or replace, and the neighbors to swap (Damerau-Levenshtein). */
function editDistance(a: string, b: string): number {
	let before: number[] = []
	let row = Array.from({ length: b.length + 1 }, (_, i) => i)
	for (let i = 1; i <= a.length; i++) {
		const next = [i]
		for (let j = 1; j <= b.length; j++) {
			const isSwap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
			next[j] = Math.min(
				(row[j] ?? 0) + 1,
				(next[j - 1] ?? 0) + 1,
				(row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1),
				isSwap ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
			)
		}
		before = row
		row = next
	}
	return row[b.length] ?? 0
}
