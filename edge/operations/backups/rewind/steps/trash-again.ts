import { endTranslationsStatement } from '../../../../ai/subtitles/translations/store.ts'
import { AppError } from '../../../../http/errors.ts'
import type { Deps } from '../../../../platform/deps.ts'
import { findAsset } from '../../../../video/assets/assets.ts'
import { trashAsset } from '../../../../video/assets/trash/trash.ts'
import { failJob } from '../../../../video/transcoding/jobs/failing.ts'
import { jobStore } from '../../../../video/transcoding/store/job-store.ts'

const ENDED = 'the database was restored to a time before the asset was moved to the trash; start again'

/** Moves an asset to the trash. Work that ran at the time of the backup ends, since it would keep the asset public. */
export async function trashAgain(deps: Deps, orgId: string, id: string): Promise<void> {
	try {
		await trashAsset(deps, orgId, id)
	} catch (error) {
		if (!(error instanceof AppError) || error.code !== 'conflict') throw error
		await endWork(deps, orgId, id)
		await trashAsset(deps, orgId, id)
	}
}

async function endWork(deps: Deps, orgId: string, id: string): Promise<void> {
	const { db, now } = deps
	const asset = await findAsset(deps, orgId, id)
	const job = await jobStore(db).findUnfinished(id)
	if (asset && job) await failJob(deps, { job, asset }, ENDED)
	await endTranslationsStatement(db, id, ENDED, now)
}
