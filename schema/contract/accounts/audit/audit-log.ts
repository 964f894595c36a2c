import { z } from 'zod'
import { AuditEntryId, data, Instant, OrgId, queryInt, Timestamp, UserId } from '../../kit/fields.ts'
import { describeOperations } from '../../kit/operation.ts'
import { dataPage, PageQuery } from '../../kit/page.ts'
import { OrgParams } from '../orgs.ts'
import { ActorKind, AuditAction, TargetKind } from './actions.ts'
import { ChainPage } from './chain.ts'

const operation = describeOperations('Operators')

const ERASED = 'null if their account was deleted'
const person = {
	userId: UserId.nullable().meta({
		description: `The person, or the one who created the API key; ${ERASED}`,
	}),
	email: z
		.string()
		.nullable()
		.meta({ description: `Their address at the time; ${ERASED}` }),
}

export const AuditEntry = z
	.object({
		id: AuditEntryId,
		orgId: OrgId.nullable().meta({ description: 'Null for the installation itself' }),
		action: AuditAction,
		actor: z.object({
			kind: ActorKind,
			id: z.string().nullable().meta({ description: 'Of an API key or a machine' }),
			...person,
		}),
		onBehalfOf: z.object(person).nullable().meta({ description: 'The person for whom the actor acted' }),
		target: z.object({ kind: TargetKind, id: z.string().nullable(), ...person }).nullable(),
		requestId: z.string().nullable(),
		ipAddress: z.string().nullable().meta({ description: 'IP address of the request' }),
		details: z.record(z.string(), z.unknown()).meta({
			description:
				'Such as the role, the scopes, or in `changed` the names of fields. Never the text of a field',
		}),
		createdAt: Timestamp,
	})
	.meta({ id: 'AuditEntry' })
export type AuditEntry = z.infer<typeof AuditEntry>

const filters = {
	action: AuditAction.optional(),
	actor: z
		.string()
		.regex(/^(\d{1,15}|(key|mch)_[0-9a-z]{26})$/)
		.optional()
		.meta({ description: 'Id of a user, API key or machine' }),
	since: Instant.optional(),
	until: Instant.optional().meta({ description: 'Excluded' }),
}
const ofInstallation = {
	orgId: OrgId.optional().meta({ description: 'Only entries of this organization' }),
	scope: z
		.enum(['all', 'installation'])
		.default('all')
		.meta({ description: '`installation` leaves out the entries of organizations' }),
}

const ORDER =
	'Newest first. Entries are never changed or deleted; a person who is erased is removed from them.'
const CSV =
	'Returns the entries as CSV (RFC 4180) with a header line, newest first, at most 100,000. Text that a spreadsheet would treat as a formula is prefixed with an apostrophe.'

export const listAuditLog = operation({
	id: 'listAuditLog',
	method: 'get',
	path: '/v1/orgs/{orgId}/audit-log',
	tag: 'Organizations',
	summary: 'List who changed rights, keys, settings and members of an organization',
	description: ORDER,
	auth: 'admin',
	whenSuspended: 'open',
	params: OrgParams,
	query: PageQuery.extend(filters),
	paged: true,
	response: dataPage(AuditEntry),
	errors: ['not_found'],
})

export const getAuditLogCsv = operation({
	id: 'getAuditLogCsv',
	method: 'get',
	path: '/v1/orgs/{orgId}/audit-log/csv',
	tag: 'Organizations',
	summary: 'Download the audit log of an organization',
	description: CSV,
	auth: 'admin',
	whenSuspended: 'open',
	params: OrgParams,
	query: z.object(filters),
	answersWith: 'text/csv; charset=utf-8',
	errors: ['not_found'],
})

export const listInstallationAuditLog = operation({
	id: 'listInstallationAuditLog',
	method: 'get',
	path: '/v1/admin/audit-log',
	summary: 'List the audit log of the installation and of its organizations',
	description: ORDER,
	auth: 'superadmin',
	query: PageQuery.extend({ ...filters, ...ofInstallation }),
	paged: true,
	response: dataPage(AuditEntry),
})

export const getInstallationAuditLogCsv = operation({
	id: 'getInstallationAuditLogCsv',
	method: 'get',
	path: '/v1/admin/audit-log/csv',
	summary: 'Download the audit log of the installation and of its organizations',
	description: CSV,
	auth: 'superadmin',
	query: z.object({ ...filters, ...ofInstallation }),
	answersWith: 'text/csv; charset=utf-8',
})

export const listAuditChain = operation({
	id: 'listAuditChain',
	method: 'get',
	path: '/v1/admin/audit-log/chain',
	summary: 'List the rows of the audit log with their hash chain, oldest first',
	description:
		'For `scripts/operate/audit-verify.ts`, which recomputes the chain. `heads` are the copies of hashes in the vault that belong to these rows, and after the last row also those of rows that are missing.',
	auth: 'superadmin',
	query: z.object({
		after: queryInt(0, 999_999_999, 0).meta({ description: 'Position of the last row received' }),
		limit: queryInt(1, 500, 500),
	}),
	response: data(ChainPage),
})
