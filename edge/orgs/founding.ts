import type { SQL } from 'drizzle-orm'
import type { Deps } from '../platform/deps.ts'
import { newId } from '../platform/ids.ts'
import { recordEvent } from '../platform/outbox.ts'
import { slugFor } from './slug.ts'
import { type OrgRow, orgStore } from './store.ts'

/** Statements for a batch: an organization, its owner's membership and the event. The owner may be made by it too. */
export function foundOrg(
	deps: Deps,
	input: { name: string; slug?: string | undefined },
	ownerId: number | SQL<number>,
) {
	const { db, now } = deps
	const store = orgStore(db)
	const org: OrgRow = {
		id: newId('org', now),
		name: input.name,
		slug: input.slug ?? slugFor(input.name),
		tier: deps.env.vars.DEFAULT_TIER,
		webhookUrl: null,
		suspendedAt: null,
		createdAt: now,
		updatedAt: now,
		videoCodecs: ['h264'],
	}
	const statements = [
		store.insertOrg(org),
		store.insertMember(org.id, ownerId, 'owner', now),
		recordEvent(db, now, { type: 'org.created', orgId: org.id, payload: { userId: ownerId } }),
	] as const
	return { org, statements }
}
