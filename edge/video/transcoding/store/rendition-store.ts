import { and, eq, inArray, type SQL, sql } from 'drizzle-orm'
import { composeRungId } from '#schema/contract/video/quality.ts'
import { renditions } from '#schema/tables/video/transcoding.ts'
import type { Db } from '../../../platform/database/database.ts'
import { insertSelect } from '../../../platform/database/insert-select.ts'
import type { Presentation } from '../presentation/presentation.ts'
import type { JobRow } from './job-store.ts'

export const renditionStore = (db: Db) => ({
	/** Returns the condition that this job has published a rendition. */
	hasPublished({ id, assetId }: JobRow, rungId: string): SQL {
		return sql`exists (
			select 1 from renditions as made
			where made.asset_id = ${assetId} and made.rung_id = ${rungId} and made.job_id = ${id}
		)`
	},

	/** Replaces the renditions of the asset. Downloads that this job made are kept. */
	replaceStatements(job: JobRow, published: Presentation['renditions'], condition: SQL) {
		const list = sql`json_each(${JSON.stringify(published)})`
		const isOther = sql`
			(
				${renditions.jobId} <> ${job.id}
				or ${renditions.rungId} not in (select value ->> 'rungId' from ${list})
			)
		`
		return [
			db.delete(renditions).where(and(eq(renditions.assetId, job.assetId), isOther, condition)),
			insertSelect(
				db,
				renditions,
				{
					assetId: job.assetId,
					rungId: sql`made.value ->> 'rungId'`,
					jobId: job.id,
					position: sql`made.key`,
					quality: sql`made.value ->> 'quality'`,
					width: sql`made.value ->> 'width'`,
					height: sql`made.value ->> 'height'`,
					bitrateKbps: sql`made.value ->> 'bitrateKbps'`,
					codec: sql`made.value ->> 'codec'`,
				},
				sql`from ${list} as made where ${condition}`,
			).onConflictDoUpdate({
				target: [renditions.assetId, renditions.rungId],
				set: { position: sql`excluded.position`, bitrateKbps: sql`excluded.bitrate_kbps` },
			}),
		]
	},

	/** Follows the completion of a download task in its batch. */
	addDownloadIfChangedStatement(jobId: string, assetId: string, rungId: string, key: string, bytes: number) {
		return db
			.update(renditions)
			.set({ downloadKey: key, downloadBytes: bytes })
			.where(
				and(
					eq(renditions.assetId, assetId),
					eq(renditions.rungId, rungId),
					eq(renditions.jobId, jobId),
					sql`changes() > 0`,
				),
			)
			.returning()
	},

	/** Returns the total size of the job's downloads so far. */
	downloadBytes(jobId: string): SQL<number> {
		return sql`
			coalesce((select sum(made.download_bytes) from renditions as made where made.job_id = ${jobId}), 0)
		`
	},

	/** Returns the MP4 key of a rendition by label (`720p` or `h264-720p`), or null while there is none. */
	async findDownload(assetId: string, label: string): Promise<string | null> {
		const rungIds = [label, composeRungId('h264', label)]
		const [row] = await db
			.select({ key: renditions.downloadKey })
			.from(renditions)
			.where(and(eq(renditions.assetId, assetId), inArray(renditions.rungId, rungIds)))
		return row?.key ?? null
	},
})
