import { type SQL, sql } from 'drizzle-orm'
import type { AssetStatus } from '#schema/contract/video/assets.ts'
import { orgs, users } from '#schema/tables/accounts/identity.ts'
import { assets, trashedAssets } from '#schema/tables/video/assets.ts'
import type { Db } from '../../../platform/database/database.ts'

const PAGE_ROWS = 10_000

export type StoredSums = { sourceBytes: number; mediaBytes: number }
export type AssetSums = StoredSums & {
	status: AssetStatus
	count: number
	durationSec: number
}
type PageSums = { count: number; last: string | number }

/** Reads tables page by page in the order of their keys, so that no statement takes long. */
export const totalsStore = (db: Db, pageRows = PAGE_ROWS) => {
	async function readPages<Sums extends PageSums>(selectPage: (rows: (all: SQL) => SQL) => SQL) {
		const sums: Sums[] = []
		// Smaller than every key, also than those that are texts.
		let last: Sums['last'] = 0
		for (;;) {
			const page = await db.all<Sums>(
				selectPage((all) => sql`${all} where id > ${last} order by id limit ${pageRows}`),
			)
			sums.push(...page)
			if (page.reduce((total, { count }) => total + count, 0) < pageRows) return sums
			last =
				page
					.map((row) => row.last)
					.toSorted()
					.at(-1) ?? last
		}
	}

	const count = async (table: typeof orgs | typeof users) => {
		const pages = await readPages(
			(rows) =>
				sql`select count(*) as "count", max(id) as "last" from (${rows(sql`select id from ${table}`)})`,
		)
		return pages.reduce((total, page) => total + page.count, 0)
	}

	return {
		countOrgs: () => count(orgs),
		countUsers: () => count(users),

		/** Returns the sums of each status, in parts. */
		sumAssets: () =>
			readPages<AssetSums & PageSums>(
				(rows) => sql`
					select status as "status", count(*) as "count", sum(coalesce(source_size_bytes, 0)) as "sourceBytes",
						sum(media_bytes) as "mediaBytes", sum(coalesce(duration_sec, 0)) as "durationSec", max(id) as "last"
					from (${rows(sql`select * from ${assets}`)})
					group by status`,
			),

		/** Returns the stored bytes of the trash, in parts. */
		sumTrash: () =>
			readPages<StoredSums & PageSums>(
				(rows) => sql`
					select count(*) as "count", coalesce(sum(source_size_bytes), 0) as "sourceBytes",
						coalesce(sum(media_bytes), 0) as "mediaBytes", max(id) as "last"
					from (${rows(sql`select id, source_size_bytes, media_bytes from ${trashedAssets}`)})`,
			),
	}
}
