import { SuspensionReason } from '#schema/contract/platform/admin/suspension.ts'
import { AppError } from '../../http/errors.ts'
import type { Deps } from '../../platform/deps.ts'
import { suspendOrg } from '../../suspension/suspension.ts'
import { readRevocations } from '../revocation-log.ts'
import type { Revocation } from '../revocations.ts'
import type { StepPart } from '../step-part.ts'
import { repairAssetFiles } from './asset-files.ts'
import { revocationStore } from './revocation-store.ts'

/** Repeats what was revoked since the backup. Whoever was given access since then asks for it again. */
export const repeatRevocations: StepPart = async (deps, { checkpoint }, cursor) => {
	const next = await readRevocations(deps, checkpoint, cursor)
	if (!next) return { cursor: null, changed: 0 }
	const lacking = await revocationStore(deps.db).findLacking(next.revocations)
	for (const revocation of lacking) await repeat(deps, revocation)
	return { cursor: next.key, changed: lacking.length }
}

async function repeat(deps: Deps, { what, ...revocation }: Revocation): Promise<void> {
	if (what === 'asset.deleted' || what === 'asset.ready')
		await repairAssetFiles(deps, revocation.targetId ?? '')
	else if (what === 'org.suspended') await suspendAgain(deps, revocation)
	else await revocationStore(deps.db).repeat({ what, ...revocation }, deps.now)
}

async function suspendAgain(deps: Deps, { orgId, details }: Omit<Revocation, 'what'>): Promise<void> {
	const { data: reason } = SuspensionReason.safeParse(details.reason)
	if (orgId === null || !reason) return
	try {
		await suspendOrg(deps, orgId, reason)
	} catch (error) {
		// The organization was created after the backup.
		if (!(error instanceof AppError)) throw error
	}
}
