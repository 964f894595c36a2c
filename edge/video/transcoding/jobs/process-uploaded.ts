import { sql } from 'drizzle-orm'
import type { EventByType } from '#schema/contract/events.ts'
import { getActiveOrg } from '../../../accounts/orgs/active-org.ts'
import { AppError } from '../../../http/errors.ts'
import type { Deps } from '../../../platform/deps.ts'
import { findAsset } from '../../assets/assets.ts'
import { processAsset } from './process.ts'

const refusals: readonly AppError['code'][] = ['plan_limit', 'org_suspended', 'conflict', 'not_found']

/**
 * Processes an uploaded asset that was created with this request, also one that was in the trash when its upload was
 * announced. A repeated event finds the request cleared.
 */
export async function processUploaded(
	deps: Deps,
	{ orgId, payload: { assetId, process } }: EventByType<'asset.uploaded' | 'asset.restored'>,
): Promise<void> {
	if (process === undefined) return
	const asset = await findAsset(deps, orgId, assetId)
	if (asset?.status !== 'uploaded' || asset.processWhenUploaded === null) return
	const isRequested = sql`exists (
		select 1 from assets as uploaded
		where uploaded.id = ${assetId} and uploaded.status = 'uploaded' and uploaded.process_when_uploaded is not null
	)`
	try {
		await processAsset(deps, await getActiveOrg(deps, orgId), assetId, asset.processWhenUploaded, isRequested)
	} catch (error) {
		if (!(error instanceof AppError && refusals.includes(error.code))) throw error
		deps.log.warn('an uploaded asset was not processed', { assetId, reason: error.code })
	}
}
