import { type SQL, sql } from 'drizzle-orm'
import type { AssetSort } from '#schema/contract/video/assets.ts'
import type { AssetRow } from '../store.ts'

/** What an asset is sorted by, and its id, which breaks ties. */
export type Position = readonly [value: string | number, id: string]

type Order = {
	sortedBy: (row: AssetRow) => string | number
	/** What an index has after the organization. The text of an expression must be that of the index. */
	key: SQL
	/** The value of `key` in the row at a position. */
	keyAt: (position: Position) => SQL
	orderBy: readonly SQL[]
}

const byInstant = (column: SQL, sortedBy: Order['sortedBy']): Order => ({
	sortedBy,
	key: sql`(${column}, assets.id)`,
	keyAt: ([value, id]) => sql`(${value}, ${id})`,
	orderBy: [column, sql`assets.id`],
})

/** Numbers get equally many digits, so that they sort as texts. */
const FIRST_NUMBER = 1e15
const byNumber = (key: SQL, sortedBy: (row: AssetRow) => number): Order => ({
	sortedBy,
	key,
	keyAt: ([value, id]) => sql`${`${FIRST_NUMBER + Number(value)}${id}`}`,
	orderBy: [key],
})

const titleKey = sql`(title || char(9) || id) collate nocase`

const orders = {
	created: byInstant(sql`assets.created_at`, (row) => row.createdAt),
	updated: byInstant(sql`assets.updated_at`, (row) => row.updatedAt),
	title: {
		sortedBy: (row) => row.title,
		key: titleKey,
		keyAt: ([value, id]) => sql`${`${value}\t${id}`}`,
		orderBy: [titleKey],
	},
	duration: byNumber(
		sql`(1000000000000000 + case when duration_sec is null then 0 else cast(duration_sec * 1000 as integer) end) || id`,
		(row) => Math.trunc((row.durationSec ?? 0) * 1_000),
	),
	size: byNumber(
		sql`(1000000000000000 + case when source_size_bytes is null then 0 else source_size_bytes end) || id`,
		(row) => row.sourceSizeBytes ?? 0,
	),
} satisfies Record<string, Order>

export function resolveSort(sort: AssetSort) {
	const isDescending = sort.startsWith('-')
	const name = sort.slice(isDescending ? 1 : 0) as keyof typeof orders
	const { sortedBy, key, keyAt, orderBy }: Order = orders[name]
	const [before, after, direction] = isDescending ? [sql`>`, sql`<`, sql`desc`] : [sql`<`, sql`>`, sql`asc`]
	return {
		name,
		orderBy: orderBy.map((term) => sql`${term} ${direction}`),
		positionOf: (row: AssetRow): Position => [sortedBy(row), row.id],
		/** SQL condition: the asset comes after the position. */
		after: (position: Position | null) => (position ? sql`${key} ${after} ${keyAt(position)}` : undefined),
		/** SQL condition: the asset comes before the position, or is there. */
		upTo: (position: Position | null) => (position ? sql`${key} ${before}= ${keyAt(position)}` : undefined),
	}
}
