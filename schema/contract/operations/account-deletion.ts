import { z } from 'zod'
import { DeletionRequestId, data, Email, Timestamp, UserId } from '../kit/fields.ts'
import { describeOperations } from '../kit/operation.ts'

const operation = describeOperations('Account deletion')

/** Returns the message for a missing or wrong field. The account family has its own wording for a missing field. */
const requiredOr = (otherwise: string) => (issue: { input?: unknown }) =>
	issue.input === undefined ? 'This field is required.' : otherwise

const DeletionStatus = z
	.object({
		id: DeletionRequestId,
		status: z.enum(['pending', 'confirmed', 'cancelled', 'completed']),
		requested_at: Timestamp,
		scheduled_for: Timestamp.meta({ description: 'When the account will be deleted for good' }),
		confirmed_at: Timestamp.nullable(),
		cancelled_at: Timestamp.nullable(),
		completed_at: Timestamp.nullable(),
		days_remaining: z
			.int()
			.nonnegative()
			.meta({ description: 'Whole days until `scheduled_for`; 0 unless the status is `confirmed`' }),
		user_email: z.string(),
	})
	.meta({ id: 'DeletionStatus' })
export type DeletionStatus = z.infer<typeof DeletionStatus>

export const requestAccountDeletion = operation({
	id: 'requestAccountDeletion',
	method: 'post',
	path: '/api/users/account/request-deletion/',
	summary: 'Schedule the account for deletion in 30 days',
	description:
		'Until then the account works as before, and the token in the confirmation email cancels the request. Reminders are sent 7 days and 24 hours before the deletion. The deletion removes the account, its sessions and memberships. Posts and comments are kept without an author; `delete_content` deletes them too. An organization or community with no other owner passes to its longest-standing admin, else to its longest-standing member. If it has no other members, it is deleted with its content.',
	auth: 'session',
	audit: 'none: own account',
	recentProof: true,
	body: z.object({
		confirm_email: z
			.string({ error: requiredOr('Not a valid string.') })
			.trim()
			.toLowerCase()
			.max(254, 'Ensure this field has no more than 254 characters.')
			.pipe(z.email('Enter a valid email address.'))
			.meta({ description: 'The email address of the account, typed again to confirm', format: 'email' }),
		delete_content: z
			.boolean({ error: 'Must be a valid boolean.' })
			.default(false)
			.meta({ description: 'Whether to delete posts and comments too' }),
	}),
	status: 201,
	response: DeletionStatus,
})

export const cancelAccountDeletion = operation({
	id: 'cancelAccountDeletion',
	method: 'post',
	path: '/api/users/account/cancel-deletion/',
	summary: 'Cancel the deletion of the account',
	description:
		'Returns 404 if the token is unknown, or its request was cancelled, has started or is completed. Returns 403 for a token of another user.',
	auth: 'session',
	audit: 'none: own account',
	body: z.object({
		token: z
			.string({ error: requiredOr('Not a valid string.') })
			.min(1, 'This field may not be blank.')
			.max(64, 'Ensure this field has no more than 64 characters.'),
	}),
	response: z.object({ detail: z.string() }),
	errors: ['not_found', 'forbidden'],
})

export const getDeletionStatus = operation({
	id: 'getDeletionStatus',
	method: 'get',
	path: '/api/users/account/deletion-status/',
	summary: 'Get the status of a pending account deletion',
	auth: 'session',
	response: z.discriminatedUnion('has_pending_deletion', [
		z.object({ has_pending_deletion: z.literal(false) }),
		DeletionStatus.extend({ has_pending_deletion: z.literal(true) }).meta({ id: 'PendingDeletion' }),
	]),
})

export const exportAccount = operation({
	id: 'exportAccount',
	method: 'get',
	path: '/api/users/account/export/',
	summary: 'Export the personal data of the account as a zip of JSON files',
	description:
		'Contains one file per kind of record with one record per line, and a README that explains the files. Password, tokens and keys are omitted, because they are stored only in unreadable form.',
	auth: 'session',
	recentProof: true,
	shield: 'credentials',
	answersWith: 'application/zip',
})

export const expediteDeletion = operation({
	id: 'expediteDeletion',
	sdk: 'admin.expediteDeletion',
	method: 'post',
	path: '/v1/admin/account-deletions/expedite',
	summary: 'Delete an account now, without the grace period',
	description:
		"Use it for a formal request that can't wait. Executes the open request of the user, or creates one. Returns 409 for the last superadmin.",
	auth: 'superadmin',
	audit: 'account_deletion.expedited',
	recentProof: true,
	body: z.union([z.object({ email: Email }), z.object({ userId: UserId })]),
	status: 202,
	response: data(z.object({ requestId: DeletionRequestId, userId: UserId, created: z.boolean() })),
	errors: ['not_found', 'conflict'],
})

export const replayErasures = operation({
	id: 'replayErasures',
	sdk: 'admin.replayErasures',
	method: 'post',
	path: '/v1/admin/erasures/replay',
	summary: 'Repeat account deletions after restoring a backup',
	description:
		'Reads one page of the erasure ledger, which is stored outside the database; send `cursor` back until it is null. Users in the ledger who exist again because of the backup are deleted again, without emails. Safe to repeat.',
	auth: 'superadmin',
	audit: 'erasures.replayed',
	body: z.object({ cursor: z.string().max(2048).nullable().default(null) }),
	status: 202,
	response: data(
		z.object({
			read: z.int().meta({ description: 'Number of ledger entries on this page' }),
			erasing: z.int().meta({
				description: 'Number of users who exist again because of the backup and are being deleted',
			}),
			cursor: z.string().nullable(),
		}),
	),
})
