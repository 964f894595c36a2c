import { and, eq, sql } from 'drizzle-orm'
import {
	type AssetCounts,
	type AssetFilter,
	AssetStatus,
	MAX_COUNTED,
} from '#schema/contract/video/assets.ts'
import { assets } from '#schema/tables/video/assets.ts'
import type { Db } from '../../../platform/database/database.ts'
import { planFilter } from './store.ts'

/** Counts assets by status. Reads at most `MAX_COUNTED` + 1 index rows for each status, or as many assets for a filter. */
export const countsStore = (db: Db) => ({
	async count(orgId: string, filter: AssetFilter): Promise<AssetCounts> {
		const { status: wanted = AssetStatus.options, ...filterOfAll } = filter
		const plan = planFilter(orgId, filterOfAll, 'created')
		const isByStatus = plan.index === 'assets_org' && plan.others.length === 0
		return isByStatus ? countInIndex(wanted) : countExamined(wanted)

		async function countInIndex(statuses: readonly AssetStatus[]) {
			const counted = await db.all<Counted>(sql`
				select value as status, (
					select count(*) from (
						select 1 from assets indexed by assets_status
						where ${and(eq(assets.orgId, orgId), sql`assets.status = value`, ...plan.inOrder)}
						limit ${MAX_COUNTED + 1}
					)
				) as counted
				from json_each(${JSON.stringify(statuses)})`)
			return toCounts(counted, false)
		}

		async function countExamined(statuses: readonly AssetStatus[]) {
			const { index, inOrder, others, candidates } = plan
			const inOrderOfList = sql`
				select id from assets indexed by ${sql.raw(index)}
				where ${and(eq(assets.orgId, orgId), ...inOrder)}
				order by assets.created_at desc, assets.id desc`
			const rows = await db.all<Counted & { examined: number }>(sql`
				with examined (id) as materialized (select * from (${candidates ?? inOrderOfList}) limit ${MAX_COUNTED + 1})
				select '' as status, 0 as counted, count(*) as examined from examined
				union all
				select assets.status, count(*), 0 from assets
				where ${and(
					sql`assets.id in (select id from examined)`,
					sql`+assets.org_id = ${orgId}`,
					sql`+assets.status in ${statuses}`,
					...inOrder,
					...others,
				)}
				group by +assets.status`)
			return toCounts(
				rows,
				rows.some(({ examined }) => examined > MAX_COUNTED),
			)
		}
	},
})

type Counted = { status: AssetStatus | ''; counted: number }

function toCounts(rows: readonly Counted[], hasMore: boolean): AssetCounts {
	const counts = AssetStatus.options.map((status) => {
		const counted = rows.find((row) => row.status === status)?.counted ?? 0
		return [status, { count: Math.min(counted, MAX_COUNTED), hasMore: hasMore || counted > MAX_COUNTED }]
	})
	return Object.fromEntries(counts) as AssetCounts
}
