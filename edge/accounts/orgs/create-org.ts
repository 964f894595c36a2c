import type { SQL } from 'drizzle-orm'
import { orgsPerPerson } from '#schema/contract/accounts/tiers.ts'
import { auditIfChangedStatement } from '../../platform/audit/audit.ts'
import { newId } from '../../platform/database/ids.ts'
import type { Deps } from '../../platform/deps.ts'
import type { Env } from '../../platform/env.ts'
import { recordEventIfChangedStatement } from '../../platform/outbox/outbox.ts'
import { createSlug } from './slug.ts'
import { orgStore } from './store.ts'

/** Returns how many organizations of the default tier one person may create; null means unlimited. */
export const orgCreationLimit = ({ vars }: Env): number | null =>
	vars.ORGS_PER_PERSON ?? orgsPerPerson[vars.DEFAULT_TIER]

/**
 * Returns statements that insert an organization, its owner's membership and the event. They insert nothing if the owner
 * has already created as many organizations as allowed. The same batch may create the owner.
 */
export function createOrgStatements(
	deps: Deps,
	input: { name: string; slug?: string | undefined },
	ownerId: number | SQL<number>,
) {
	const { db, work, now } = deps
	const store = orgStore(db)
	const org = {
		id: newId('org', now),
		name: input.name,
		slug: input.slug ?? createSlug(input.name),
		tier: deps.env.vars.DEFAULT_TIER,
		webhookUrl: null,
		createdAt: now,
		updatedAt: now,
		videoCodecs: ['h264' as const],
	}
	const event = { type: 'org.created', orgId: org.id, payload: { userId: ownerId } } as const
	const statements = {
		orgInserted: store.insertOrgStatement(org, ownerId, orgCreationLimit(deps.env)),
		ownerJoined: store.joinIfChangedStatement(org.id, ownerId, 'owner', now),
		eventRecorded: recordEventIfChangedStatement(work, event),
		entryWritten: auditIfChangedStatement(work, {
			action: 'org.created',
			orgId: org.id,
			target: { kind: 'org', id: org.id },
			details: { tier: org.tier },
			actorUserId: ownerId,
		}),
	}
	return { org, statements }
}
