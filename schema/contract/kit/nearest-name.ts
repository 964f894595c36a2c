/** Longer names are compared by their beginning, so that a foreign name costs a limited number of steps. */
const MAX_LENGTH = 64

/** Returns `name` in one form for all spellings, such as `sso_user_id` and `ssoUserId`. */
const spell = (name: string): string => name.slice(0, MAX_LENGTH).replaceAll(/[_-]/g, '').toLowerCase()

/** Returns the number of insertions, deletions, replacements and swaps of neighbors between two names. */
function distance(a: string, b: string): number {
	let before: number[] = []
	let row = Array.from({ length: b.length + 1 }, (_, i) => i)
	for (let i = 1; i <= a.length; i++) {
		const next = [i]
		for (let j = 1; j <= b.length; j++) {
			const at = (cells: readonly number[], column: number, cost: number) =>
				(cells[column] ?? Number.POSITIVE_INFINITY) + cost
			const isSwap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
			next.push(
				Math.min(
					at(row, j - 1, a[i - 1] === b[j - 1] ? 0 : 1),
					at(row, j, 1),
					at(next, j - 1, 1),
					isSwap ? at(before, j - 2, 1) : Number.POSITIVE_INFINITY,
				),
			)
		}
		before = row
		row = next
	}
	return row[b.length] ?? 0
}

/** Returns the known name that a misspelled one most likely means, if there is one. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
	const [best] = known
		.map((candidate) => ({ candidate, steps: distance(spell(name), spell(candidate)) }))
		.filter(({ candidate, steps }) => steps <= Math.floor(candidate.length / 3))
		.toSorted((a, b) => a.steps - b.steps)
	return best?.candidate
}

/** Returns what is wrong with an unknown name: the nearest known one, else all of them. */
export function unknownName(kind: 'field' | 'parameter', name: string, known: readonly string[]): string {
	const nearest = nearestName(name, known)
	const advice = nearest ? `did you mean ${nearest}` : `known are ${known.join(', ')}`
	return `unknown ${kind} ${name.slice(0, MAX_LENGTH)}; ${known.length > 0 ? advice : 'send none'}`
}
