import * as contract from '#schema/contract/operations/account-deletion.ts'
import { exportManagedMember } from '#schema/contract/operations/managed-people.ts'
import { type Route, serve } from '../../http/route.ts'
import { exportPerson } from './export/export.ts'
import { exportManaged } from './export/managed-person.ts'
import { replayErasures } from './ledger/ledger.ts'
import { cancelDeletion, findOpenDeletion, requestDeletion } from './request/deletion.ts'
import { expediteDeletion } from './request/operators.ts'
import { viewDeletion } from './view.ts'

const zipResponse = (zip: ReadableStream<Uint8Array>, name: string): Response =>
	new Response(zip, {
		headers: {
			'content-type': 'application/zip',
			'content-disposition': `attachment; filename="playhouse-${name}.zip"`,
		},
	})

export const accountDeletionRoutes: Route[] = [
	serve(contract.requestAccountDeletion, async ({ deps, caller, body, ip }) =>
		viewDeletion(await requestDeletion(deps, caller, body, ip), caller.email, deps.now),
	),

	serve(contract.cancelAccountDeletion, async ({ deps, caller, body, ip }) => {
		await cancelDeletion(deps, caller, body.token, ip)
		return { detail: 'The deletion is cancelled. Your account stays active.' }
	}),

	serve(contract.getDeletionStatus, async ({ deps, caller }) => {
		const open = await findOpenDeletion(deps, caller)
		return open
			? { has_pending_deletion: true as const, ...viewDeletion(open, caller.email, deps.now) }
			: { has_pending_deletion: false as const }
	}),

	serve(contract.exportAccount, async ({ deps, caller }) =>
		zipResponse(exportPerson(deps, caller), 'account'),
	),

	serve(exportManagedMember, async ({ deps, caller, params: { communityId, memberId } }) =>
		zipResponse(await exportManaged(deps, caller, communityId, memberId), `member-${memberId}`),
	),

	serve(contract.expediteDeletion, async ({ deps, body }) => ({ data: await expediteDeletion(deps, body) })),

	serve(contract.replayErasures, async ({ deps, body }) => {
		const { read, requestIds, cursor } = await replayErasures(deps, body.cursor)
		return { data: { read, erasing: requestIds.length, cursor } }
	}),
]
