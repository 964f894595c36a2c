import { z } from 'zod'
import { DeletionRequestId, data, Email, Timestamp, UserId } from './fields.ts'
import { operation } from './operation.ts'

const tag = 'Account deletion'

/** How the fields of this family are complained about. */
const wanted = (otherwise: string) => (issue: { input?: unknown }) =>
	issue.input === undefined ? 'This field is required.' : otherwise

const DeletionStatus = z
	.object({
		id: DeletionRequestId,
		status: z.enum(['pending', 'confirmed', 'cancelled', 'completed']),
		requested_at: Timestamp,
		scheduled_for: Timestamp.meta({ description: 'When the account is deleted for good' }),
		confirmed_at: Timestamp.nullable(),
		cancelled_at: Timestamp.nullable(),
		completed_at: Timestamp.nullable(),
		days_remaining: z
			.int()
			.nonnegative()
			.meta({ description: 'Whole days until `scheduled_for`; 0 unless the status is confirmed' }),
		user_email: z.string(),
	})
	.meta({ id: 'DeletionStatus' })
export type DeletionStatus = z.infer<typeof DeletionStatus>

export const requestAccountDeletion = operation({
	id: 'requestAccountDeletion',
	method: 'post',
	path: '/api/users/account/request-deletion/',
	tag,
	summary: 'Have the account deleted in 30 days',
	description:
		'The account works as before until then, and the request can be cancelled with the token that is mailed. Reminders follow 7 days and 24 hours before the end. Then the account, its sessions and memberships are deleted; posts and comments stay without an author, or go too with `delete_content`. An organization or community with no other owner goes to its oldest admin, else to its oldest member; with nobody else in it, it is deleted with all it holds.',
	auth: 'session',
	recentProof: true,
	idempotent: true,
	body: z.object({
		confirm_email: z
			.string({ error: wanted('Not a valid string.') })
			.trim()
			.toLowerCase()
			.max(254, 'Ensure this field has no more than 254 characters.')
			.pipe(z.email('Enter a valid email address.'))
			.meta({ description: 'The address of the account, typed in once more', format: 'email' }),
		delete_content: z
			.boolean({ error: 'Must be a valid boolean.' })
			.default(false)
			.meta({ description: 'Delete posts and comments as well' }),
	}),
	status: 201,
	response: DeletionStatus,
})

export const cancelAccountDeletion = operation({
	id: 'cancelAccountDeletion',
	method: 'post',
	path: '/api/users/account/cancel-deletion/',
	tag,
	summary: 'Keep the account after all',
	description:
		'404 for a token that is unknown or whose request is cancelled, being carried out or completed; 403 for the token of someone else.',
	auth: 'session',
	body: z.object({
		token: z
			.string({ error: wanted('Not a valid string.') })
			.min(1, 'This field may not be blank.')
			.max(64, 'Ensure this field has no more than 64 characters.'),
	}),
	status: 200,
	response: z.object({ detail: z.string() }),
	errors: ['not_found', 'forbidden'],
})

export const getDeletionStatus = operation({
	id: 'getDeletionStatus',
	method: 'get',
	path: '/api/users/account/deletion-status/',
	tag,
	summary: 'Whether the account is going to be deleted, and when',
	auth: 'session',
	status: 200,
	response: z.discriminatedUnion('has_pending_deletion', [
		z.object({ has_pending_deletion: z.literal(false) }),
		DeletionStatus.extend({ has_pending_deletion: z.literal(true) }).meta({ id: 'PendingDeletion' }),
	]),
})

export const exportAccount = operation({
	id: 'exportAccount',
	method: 'get',
	path: '/api/users/account/export/',
	tag,
	summary: 'Everything that is kept about the person, as a zip of JSON files',
	description:
		'One file for each kind of record, one record a line, and a README that says what is in which. Password, tokens and keys are not in it: they are kept only in a form that nobody can read.',
	auth: 'session',
	recentProof: true,
	shield: 'credentials',
	status: 200,
	answersWith: 'application/zip',
})

export const expediteDeletion = operation({
	id: 'expediteDeletion',
	method: 'post',
	path: '/v1/admin/account-deletions/expedite',
	tag,
	summary: 'Carry out a deletion now, without the grace period',
	description:
		'For a formal request that may not wait. Takes the open request of the person, or makes one where there is none. The last superadmin is refused with 409.',
	auth: 'superadmin',
	body: z.union([z.strictObject({ email: Email }), z.strictObject({ userId: UserId })]),
	status: 202,
	response: data(z.object({ requestId: DeletionRequestId, userId: UserId, created: z.boolean() })),
	errors: ['not_found', 'conflict'],
})

export const replayErasures = operation({
	id: 'replayErasures',
	method: 'post',
	path: '/v1/admin/erasures/replay',
	tag,
	summary: 'After a restore: delete again who had been deleted since the backup',
	description:
		'Reads the erasure ledger outside the database, a page at a time: send `cursor` back until it is null. Whoever of it is in the database again is deleted again, without mails. Harmless to repeat.',
	auth: 'superadmin',
	body: z.object({ cursor: z.string().max(2048).nullable().default(null) }),
	status: 202,
	response: data(
		z.object({
			read: z.int().meta({ description: 'Entries of the ledger on this page' }),
			erasing: z.int().meta({ description: 'People that were back and are being deleted again' }),
			cursor: z.string().nullable(),
		}),
	),
})
