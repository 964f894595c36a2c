import type { AssetProcessing } from '../assets/processing.ts'
import { dropTasks, endProcessing } from './jobs/delete-processing.ts'
import { abortUploads } from './machine-api/large-output.ts'
import { viewProcessing } from './progress/processing-view.ts'
import { findProcessing } from './store/processing-store.ts'

export const assetProcessing: AssetProcessing = {
	view: async ({ db, now }, assetId) => viewProcessing(await findProcessing(db, assetId), now),

	removal(deps, assetId) {
		const { db, now } = deps
		return {
			dropTasksStatement: dropTasks(db, assetId),
			endStatements: endProcessing(db, assetId, now),
			finish: (droppedTasks) => deps.defer(abortUploads(deps, droppedTasks)),
		}
	},
}
