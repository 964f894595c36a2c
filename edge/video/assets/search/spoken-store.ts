import { and, eq, sql } from 'drizzle-orm'
import { assets, spokenTerms } from '#schema/tables/video/assets.ts'
import type { Db } from '../../../platform/database/database.ts'
import { insertSelect } from '../../../platform/database/insert-select.ts'
import { extractSearchTerms } from '../../../platform/database/search-terms.ts'
import type { AssetRow } from '../store.ts'

/** Ten hours of speech have some 8,000 different words. */
const MAX_TERMS = 20_000
/** A parameter of D1 has at most 2 MB. */
const MAX_LETTERS = 400_000

/**
 * Replaces the words by which a transcript is found. Must follow the statement that stores the transcript in its
 * batch, and changes nothing if that didn't. Unchanged words cost no write.
 */
export function replaceSpokenStatements(
	db: Db,
	{ id, orgId, transcriptKey }: Pick<AssetRow, 'id' | 'orgId' | 'transcriptKey'>,
	text: string,
) {
	const terms = JSON.stringify(limitedTerms(text))
	const isCurrent = sql`exists (
		select 1 from ${assets}
		where ${assets.id} = ${id} and ${assets.orgId} = ${orgId} and ${assets.transcriptKey} is ${transcriptKey}
	)`
	return [
		db
			.delete(spokenTerms)
			.where(
				and(
					eq(spokenTerms.assetId, id),
					sql`${spokenTerms.term} not in (select value from json_each(${terms}))`,
					isCurrent,
				),
			),
		insertSelect(
			db,
			spokenTerms,
			{ orgId, term: sql`value`, assetId: id },
			sql`from json_each(${terms}) where ${isCurrent}`,
		).onConflictDoNothing(),
	]
}

function limitedTerms(text: string): string[] {
	let letters = 0
	return extractSearchTerms(text, MAX_TERMS).filter((term) => {
		letters += term.length
		return letters <= MAX_LETTERS
	})
}
