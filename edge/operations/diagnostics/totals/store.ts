import { sql } from 'drizzle-orm'
import type { AssetStatus } from '#schema/contract/video/assets.ts'
import { orgs, users } from '#schema/tables/accounts/identity.ts'
import { assets } from '#schema/tables/video/assets.ts'
import type { Db } from '../../../platform/database/database.ts'

const PAGE_ROWS = 10_000

export type AssetSums = {
	status: AssetStatus
	count: number
	sourceBytes: number
	mediaBytes: number
	durationSec: number
}
type Page<Row> = { rows: Row[]; last: string | number | null }

/** Reads tables page by page in the order of their keys, so that no statement takes long. */
export const totalsStore = (db: Db, pageRows = PAGE_ROWS) => ({
	async countOrgs(): Promise<number> {
		return sumPages((last) => countPage(db, orgs, last ?? '', pageRows))
	},

	async countUsers(): Promise<number> {
		return sumPages((last) => countPage(db, users, last ?? 0, pageRows))
	},

	/** Returns the sums of each status, in parts. */
	async sumAssets(): Promise<AssetSums[]> {
		return readPages(async (last) => {
			const found = await db.all<AssetSums & { last: string }>(sql`
				select status as "status", count(*) as "count", sum(coalesce(source_size_bytes, 0)) as "sourceBytes",
					sum(media_bytes) as "mediaBytes", sum(coalesce(duration_sec, 0)) as "durationSec", max(id) as "last"
				from (select * from ${assets} where id > ${last ?? ''} order by id limit ${pageRows})
				group by status
			`)
			const read = found.reduce((total, { count }) => total + count, 0)
			const lastId =
				found
					.map((row) => row.last)
					.toSorted()
					.at(-1) ?? null
			return { rows: found.map(({ last: _, ...sums }) => sums), last: read < pageRows ? null : lastId }
		})
	},
})

async function countPage(
	db: Db,
	table: typeof orgs | typeof users,
	after: string | number,
	pageRows: number,
): Promise<Page<number>> {
	const [row] = await db.all<{ count: number; last: string | number | null }>(sql`
		select count(*) as "count", max(id) as "last"
		from (select id from ${table} where id > ${after} order by id limit ${pageRows})`)
	const count = row?.count ?? 0
	return { rows: [count], last: count < pageRows ? null : (row?.last ?? null) }
}

async function readPages<Row>(
	readPage: (last: string | number | null) => Promise<Page<Row>>,
): Promise<Row[]> {
	const rows: Row[] = []
	let last: string | number | null = null
	do {
		const page: Page<Row> = await readPage(last)
		rows.push(...page.rows)
		last = page.last
	} while (last !== null)
	return rows
}

const sumPages = async (readPage: (last: string | number | null) => Promise<Page<number>>): Promise<number> =>
	(await readPages(readPage)).reduce((total, count) => total + count, 0)
