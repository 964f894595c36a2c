import { eq } from 'drizzle-orm'
import { aiSteps } from '#schema/tables/ai/steps.ts'
import type { DeleteOfAsset } from '../../platform/deps.ts'

export const deleteStepsStatements: DeleteOfAsset = (db, assetId) => [
	db.delete(aiSteps).where(eq(aiSteps.assetId, assetId)),
]
