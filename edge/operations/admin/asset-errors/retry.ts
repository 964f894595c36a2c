import { processAsset as processOperation } from '#schema/contract/video/transcoding.ts'
import { getActiveOrg } from '../../../accounts/orgs/active-org.ts'
import { AppError } from '../../../http/errors.ts'
import { encodeCursor, type Position } from '../../../http/page.ts'
import { auditStatement } from '../../../platform/audit/audit.ts'
import { DAY } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import { processAsset } from '../../../video/transcoding/jobs/process.ts'
import { assetErrorStore, hasSameError } from './store.ts'

const KEPT_MS = 90 * DAY

type Skipped = { assetId: string; reason: AppError['code'] }

/**
 * Reprocesses the assets of a group. The transition requires that the asset still has the error, so a repeated call skips
 * assets that are already queued.
 */
export async function retryAssetErrors(
	deps: Deps,
	fingerprint: string,
	limit: number,
	after: Position | null,
) {
	const rows = await assetErrorStore(deps.db).listRetries(fingerprint, limit, after)
	const chosen = rows.slice(0, limit)
	if (chosen.length > 0) await recordRetry(deps, fingerprint, chosen.length)
	const defaults = processOperation.body.parse({})
	const skipped: Skipped[] = []
	for (const { id, orgId, aiOptions, playback } of chosen) {
		const options = aiOptions && playback ? { aiOptions, playback } : defaults
		try {
			await processAsset(deps, await getActiveOrg(deps, orgId), id, options, hasSameError(id, fingerprint))
		} catch (error) {
			if (!(error instanceof AppError)) throw error
			skipped.push({ assetId: id, reason: error.code })
		}
	}
	const last = chosen.at(-1)
	const next = last && rows.length > limit ? encodeCursor([last.createdAt, last.id]) : null
	return { retried: chosen.length - skipped.length, skipped, next }
}

/** Written first, so that a run that ends early is still audited. */
const recordRetry = ({ work }: Deps, fingerprint: string, assets: number) =>
	auditStatement(work, {
		action: 'asset_errors.retried',
		orgId: null,
		target: { kind: 'asset_errors', id: fingerprint },
		details: { assets },
	})

export const pruneErrorGroups = ({ db, now }: Deps): Promise<void> => assetErrorStore(db).prune(now - KEPT_MS)
