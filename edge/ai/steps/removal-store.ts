import { and, eq } from 'drizzle-orm'
import { aiSteps } from '#schema/tables/ai/steps.ts'
import type { DeleteOfAsset } from '../../platform/deps.ts'

export const deleteStepsStatements: DeleteOfAsset = (db, assetId, condition) => [
	db.delete(aiSteps).where(and(eq(aiSteps.assetId, assetId), condition)),
]
