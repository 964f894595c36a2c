import { AssetId } from '#schema/contract/kit/fields.ts'
import type { Operation } from '#schema/contract/kit/operation.ts'
import { auditStatement } from '../../platform/audit/audit.ts'
import type { Deps } from '../../platform/deps.ts'
import type { Caller, ImpersonationContext } from '../caller.ts'
import { AppError } from '../errors.ts'

/** Marks each response to an impersonated caller, so that pages can show it. */
export const IMPERSONATION_HEADER = 'x-impersonation'

export const toImpersonationContext = (caller: Caller | undefined): ImpersonationContext | null =>
	caller?.kind === 'person' ? caller.impersonation : null

/** Throws 403 unless a superadmin who acts as a member may call the operation. */
export function requireOpenToImpersonation(op: Operation, caller: Caller | undefined): void {
	const impersonation = toImpersonationContext(caller)
	if (!impersonation) return
	if (!op.impersonation)
		throw new AppError('forbidden', 'this operation is not available while you act as another user')
	if (op.impersonation === 'write' && !impersonation.mayWrite)
		throw new AppError('forbidden', 'this impersonation is read-only; start one with write access')
}

/** Records a request of an impersonating superadmin before anything is read, so that owners see all of them. */
export async function recordImpersonated(deps: Deps, op: Operation, assetId?: string): Promise<void> {
	const asset = AssetId.safeParse(assetId)
	await auditStatement(deps.work, {
		action: 'impersonation.request',
		details: { operation: op.id },
		...(asset.success && { target: { kind: 'asset', id: asset.data } }),
	})
}
