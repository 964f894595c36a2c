import type { AssetProcessing } from '../assets/processing.ts'
import { abortUploads } from './machine-api/large-output.ts'
import { viewProcessing } from './progress/processing-view.ts'
import { computeProgressPercent } from './progress/progress.ts'
import { deleteTasksStatement, endProcessingStatements } from './store/delete-processing.ts'
import { findProcessing } from './store/processing-store.ts'
import { findSummaries } from './store/summary-store.ts'

export const assetProcessing: AssetProcessing = {
	view: async ({ db, now }, assetId) => viewProcessing(await findProcessing(db, assetId), now),

	async summarize({ db }, assetIds) {
		const found = await findSummaries(db, assetIds)
		return new Map(
			found.map(({ assetId, job, work, languages }) => [
				assetId,
				{ progress: job && computeProgressPercent(job, work), languages },
			]),
		)
	},

	removal(deps, assetId, condition) {
		const { db, now } = deps
		return {
			deleteTasksStatement: deleteTasksStatement(db, assetId, condition),
			endProcessingStatements: endProcessingStatements(db, assetId, now, condition),
			finish: (deletedTasks) => deps.defer(abortUploads(deps, deletedTasks)),
		}
	},
}
