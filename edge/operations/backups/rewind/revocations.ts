import { z } from 'zod'
import { revokingActions } from '#schema/contract/accounts/audit/actions.ts'
import { type EventType, revokingEvents } from '#schema/contract/events.ts'

/** Events after which files of a restored asset may be missing. */
const fileEvents = ['asset.deleted', 'asset.ready'] as const satisfies readonly EventType[]

/** Events that hide an asset from viewers, or show it again. The repair repeats them in their order. */
const trashEvents = ['asset.trashed', 'asset.restored'] as const satisfies readonly EventType[]

export const loggedEvents = [...revokingEvents, ...fileEvents, ...trashEvents] as const

/** What a restored database may lack: an entry of the audit log, or an event. */
export const Revocation = z.object({
	/** The id of the entry or event. */
	id: z.string(),
	what: z.enum([...revokingActions, ...loggedEvents]),
	orgId: z.string().nullable(),
	/** The id of the target: of a key, a membership, an asset and so on. */
	targetId: z.string().nullable(),
	userId: z.int().nullable(),
	/** Values of the entry that name nobody. */
	details: z.object({
		role: z.string().optional(),
		status: z.string().optional(),
		reason: z.string().optional(),
		/** What a `account.second_factor_changed` changed. */
		change: z.string().optional(),
		allowed: z.boolean().optional(),
		changed: z.array(z.string()).optional(),
		spaceId: z.int().optional(),
		joining: z.string().optional(),
		endedApiKeys: z.array(z.string()).optional(),
		revokedInvitations: z.array(z.string()).optional(),
		/** The request of an `account.deletion_requested`. */
		deletion: z
			.object({
				userId: z.int(),
				deleteContent: z.int(),
				requestedAt: z.int(),
				scheduledFor: z.int(),
				tokenNonce: z.string().nullable(),
				cancellationTokenHash: z.string().nullable(),
			})
			.optional(),
	}),
})
export type Revocation = z.infer<typeof Revocation>
