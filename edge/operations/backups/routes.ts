import * as contract from '#schema/contract/operations/installation/backups.ts'
import { buildPage, decodeCursor } from '../../http/page.ts'
import { type Route, serve } from '../../http/route.ts'
import { answerArchive, createDownload } from './download/archive.ts'
import { verifyBackup } from './drill/start.ts'
import { deleteBackup } from './keep/delete.ts'
import { startBackup } from './start.ts'
import { backupStore } from './store.ts'
import { viewBackup } from './view.ts'

export const backupRoutes: Route[] = [
	serve(contract.listBackups, async ({ deps, query, request, headers }) => {
		const rows = await backupStore(deps.db).list(query.limit, decodeCursor(query))
		return {
			data: buildPage(rows, query, (row) => [row.startedAt, row.id], request, headers).map(viewBackup),
		}
	}),

	serve(contract.runBackup, async ({ deps, body }) => ({
		data: viewBackup(await startBackup(deps, body?.reason ?? 'requested')),
	})),

	serve(contract.verifyBackup, async ({ deps, params }) => ({
		data: viewBackup(await verifyBackup(deps, params.backupId)),
	})),

	serve(contract.createBackupDownload, async ({ deps, caller, params, request }) => ({
		data: await createDownload(deps, caller.userId, params.backupId, request),
	})),

	serve(contract.getBackupArchive, ({ deps, params, query }) =>
		answerArchive(deps, params.backupId, query.token),
	),

	serve(contract.deleteBackup, async ({ deps, params: { backupId: id } }) => {
		await deleteBackup(deps, id)
		return { data: { id, deleted: true as const } }
	}),
]
