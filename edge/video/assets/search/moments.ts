import type { AssetMatch } from '#schema/contract/video/assets.ts'
import type { Deps } from '../../../platform/deps.ts'
import type { AssetRow } from '../store.ts'
import { searchStore } from './search-store.ts'

/** Moments of a video that match a query, and whether its words are consecutive there. */
export type Moments = { isQuote: boolean; matches: AssetMatch[] }

/** A transcript of ten hours has several megabytes, so a request reads only a few, sequentially. */
const MAX_READ = 10
const MAX_CHARACTERS = 1_000_000

declare module '../../../platform/deps.ts' {
	interface Contributions {
		/** Finds moments in a transcript of the given length. Injected, because transcripts import this folder. */
		findMoments(
			deps: Deps,
			asset: Pick<AssetRow, 'transcriptKey'>,
			q: string,
		): Promise<Moments & { characters: number }>
	}
}

/** Adds matching moments to assets. Assets with the exact words come first. Only the first transcripts are read. */
export async function addMatches<Row extends Pick<AssetRow, 'id' | 'transcriptKey'>>(
	deps: Deps,
	orgId: string,
	rows: readonly Row[],
	q: string,
): Promise<{ row: Row; matches: AssetMatch[] }[]> {
	const spoken = rows.filter(({ transcriptKey }) => transcriptKey !== null).map(({ id }) => id)
	const speaking = await searchStore(deps.db).findSpeaking(orgId, spoken, q)
	const read = new Set([...rows.map(({ id }) => id).filter((id) => speaking.has(id))].slice(0, MAX_READ))
	const none: Moments = { isQuote: false, matches: [] }
	const found: ({ row: Row } & Moments)[] = []
	let characters = 0
	for (const row of rows) {
		const isRead = read.has(row.id) && characters < MAX_CHARACTERS
		const moments = isRead ? await deps.contributions.findMoments(deps, row, q) : { ...none, characters: 0 }
		characters += moments.characters
		found.push({ row, isQuote: moments.isQuote, matches: moments.matches })
	}
	return [...found.filter(({ isQuote }) => isQuote), ...found.filter(({ isQuote }) => !isQuote)].map(
		({ row, matches }) => ({ row, matches }),
	)
}
