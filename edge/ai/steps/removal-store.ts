import { and, eq, inArray } from 'drizzle-orm'
import { aiSteps } from '#schema/tables/ai/steps.ts'
import type { DeleteOfAsset, StopWorkOnAsset } from '../../platform/deps.ts'
import { openStatuses } from '../../video/transcoding/progress/ai-job-view.ts'
import { reasons } from './reasons.ts'

/** A restored asset starts these steps again (`resumeSteps`). */
export const stopStepsStatements: StopWorkOnAsset = (db, assetId, now, condition) => [
	db
		.update(aiSteps)
		.set({ status: 'skipped', reason: reasons.inTrash, updatedAt: now })
		.where(and(eq(aiSteps.assetId, assetId), inArray(aiSteps.status, [...openStatuses]), condition)),
]

export const deleteStepsStatements: DeleteOfAsset = (db, assetId, condition) => [
	db.delete(aiSteps).where(and(eq(aiSteps.assetId, assetId), condition)),
]
