import type { SQL } from 'drizzle-orm'
import { invitationsPerDay, type TierName } from '#schema/contract/accounts/tiers.ts'
import { requireSecrets } from '../../http/require-secrets.ts'
import { DAY } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import { attemptCounter } from '../attempts/attempt-counter.ts'
import { refusalStore } from './refusal-store.ts'

const PER_ADDRESS = 5
const PER_PERSON = 200

export type Sender = {
	email: string
	/** Null for an API key, which counts only against its organization. */
	senderId: number | null
	/** Null for a community without an organization. */
	org: { id: string; tier: TierName } | null
}

/**
 * Counts an invitation against its address, sender and organization in one statement. Throws 429 over a daily limit.
 * Each report of the last 30 days halves the limit of the organization. Returns false and counts nothing unless
 * `mayInvite` holds: a refused request must not use up the invitations of an address.
 */
export async function countInvitation(
	deps: Deps,
	{ email, senderId, org }: Sender,
	mayInvite: SQL,
): Promise<boolean> {
	const { db, now, env } = deps
	const secrets = requireSecrets(deps, 'invitations')
	const rule = (name: string, limit: number) => ({ name: `invitation ${name}`, limit, windowMs: DAY })
	const counted = [{ rule: rule('address', PER_ADDRESS), subject: email }]
	if (senderId !== null) counted.push({ rule: rule('person', PER_PERSON), subject: String(senderId) })
	if (org) {
		const limit = env.vars.INVITATIONS_PER_DAY ?? invitationsPerDay[org.tier]
		const reports = await refusalStore(db).countReports(org.id, now)
		counted.push({ rule: rule('organization', Math.floor(limit / 2 ** reports)), subject: org.id })
	}
	return attemptCounter(db, secrets, now).count(counted, mayInvite)
}
