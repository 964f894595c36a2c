import { SuspensionReason } from '#schema/contract/accounts/suspension.ts'
import { AppError } from '../../../../http/errors.ts'
import type { Deps } from '../../../../platform/deps.ts'
import { checkpointStore } from '../../../../platform/rewind/checkpoint-store.ts'
import { readVaultCheckpoint } from '../../../../platform/rewind/vault-checkpoint.ts'
import { restoreAsset } from '../../../../video/assets/trash/trash.ts'
import { restoreRequest } from '../../../account-deletion/request/deletion.ts'
import { suspendOrg } from '../../../admin/suspension/suspension.ts'
import { findNextRevocationKey, readRevocations } from '../revocation-log.ts'
import type { Revocation } from '../revocations.ts'
import type { StepPart } from '../step-part.ts'
import { repairAssetFiles } from './asset-files.ts'
import { revocationStore } from './revocation-store.ts'
import { trashAgain } from './trash-again.ts'

/** Each revocation takes up to five statements, and D1 allows 1,000 queries per invocation. */
const AT_ONCE = 50

/**
 * Repeats the revocations since the backup. Access that was granted since then must be granted again. The cursor is the
 * key of an object, and the number of its revocations that are done.
 */
export const repeatRevocations: StepPart = async (deps, { checkpoint }, cursor) => {
	const [key = null, done = 0] = cursor === null ? [] : (JSON.parse(cursor) as [string, number])
	const all = key === null ? [] : await readRevocations(deps, key)
	const some = all.slice(done, done + AT_ONCE)
	if (some.length === 0) {
		const next = await findNextRevocationKey(
			deps,
			key === null ? await firstOf(deps, checkpoint) : checkpoint,
			key,
		)
		return { cursor: next && JSON.stringify([next, 0]), changed: 0 }
	}
	const lacking = await revocationStore(deps.db).findLacking(some)
	for (const revocation of lacking) await repeat(deps, revocation)
	return { cursor: JSON.stringify([key, done + some.length]), changed: lacking.length }
}

/**
 * Returns the number of the first checkpoint whose revocations the database may lack. In the vault of another installation,
 * that is 0: the numbers there were counted independently.
 */
async function firstOf({ db, objects }: Deps, checkpoint: number): Promise<number> {
	const stored = await readVaultCheckpoint(objects.vault)
	const { installationId } = await checkpointStore(db).findState(stored)
	return stored && stored.installationId !== installationId ? 0 : checkpoint
}

async function repeat(deps: Deps, { what, ...revocation }: Revocation): Promise<void> {
	if (what === 'asset.deleted' || what === 'asset.ready')
		await repairAssetFiles(deps, revocation.targetId ?? '')
	else if (what === 'asset.trashed')
		await ignoreNotFound(trashAgain(deps, revocation.orgId ?? '', revocation.targetId ?? ''))
	else if (what === 'asset.restored') await restoreAgain(deps, revocation)
	else if (what === 'org.suspended') await suspendAgain(deps, revocation)
	else if (what === 'account.deletion_requested') await requestAgain(deps, revocation)
	else await revocationStore(deps.db).repeat({ what, ...revocation }, deps.now)
}

async function requestAgain(
	deps: Deps,
	{ targetId: id, details: { deletion } }: Omit<Revocation, 'what'>,
): Promise<void> {
	if (id === null || !deletion) return
	const { deleteContent, requestedAt, scheduledFor, ...rest } = deletion
	await restoreRequest(deps, {
		...{ id, ...rest, deleteContent: deleteContent === 1, status: 'confirmed' },
		...{ requestedAt, confirmedAt: requestedAt, scheduledFor, dueAt: scheduledFor },
		...{ cancelledAt: null, completedAt: null, executingAt: null },
	})
}

type Repeated = Omit<Revocation, 'what'>

const restoreAgain = (deps: Deps, { orgId, targetId }: Repeated) =>
	ignoreNotFound(restoreAsset(deps, orgId ?? '', targetId ?? ''))

/** The asset or organization may have been created after the backup, so that the change fails. */
async function ignoreNotFound(change: Promise<unknown>): Promise<void> {
	try {
		await change
	} catch (error) {
		if (!(error instanceof AppError) || error.code !== 'not_found') throw error
	}
}

async function suspendAgain(deps: Deps, { orgId, details }: Omit<Revocation, 'what'>): Promise<void> {
	const { data: reason } = SuspensionReason.safeParse(details.reason)
	if (orgId === null || !reason) return
	await ignoreNotFound(suspendOrg(deps, orgId, reason))
}
