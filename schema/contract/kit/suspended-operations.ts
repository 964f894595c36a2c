import { actsInOrg } from './acting-in-org.ts'
import type { Operation } from './operation.ts'

/**
 * Work in a suspended organization: its people can see what happened and what it uses, take that along, and see and end
 * what superadmins do as its members.
 */
const allowedOperations: ReadonlySet<string> = new Set([
	'getOrg',
	'getOrgUsage',
	'listAuditLog',
	'getAuditLogCsv',
	'listImpersonations',
	'endImpersonation',
	'setSupportAccess',
	'getBilling',
	'createPortal',
])

/** Start an upload, an encode or work of a model. An upload or a job that has begun may go on while a bill is unpaid. */
const startingOperations: ReadonlySet<string> = new Set([
	'createAsset',
	'createUploadUrl',
	'createUploadToken',
	'uploadSource',
	'importSource',
	'beginUpload',
	'processAsset',
	'runAiSteps',
	'translateSubtitles',
])

/**
 * Returns which suspension of the caller's organization refuses the operation: any, also for `billing`; a full one, for
 * `abuse` or `operator`; or none.
 */
export function refusingSuspension(op: Operation): 'any' | 'full' | 'none' {
	if (!actsInOrg(op) || allowedOperations.has(op.id)) return 'none'
	return startingOperations.has(op.id) ? 'any' : 'full'
}
