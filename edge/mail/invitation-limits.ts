import { invitationsPerDay, type TierName } from '#schema/contract/tiers.ts'
import { AppError } from '../http/errors.ts'
import { attemptCounter } from '../identity/attempts.ts'
import { DAY } from '../platform/clock.ts'
import type { Deps } from '../platform/deps.ts'
import { refusalStore } from './refusal-store.ts'

const PER_ADDRESS = 5
const PER_PERSON = 200

export type Sender = {
	email: string
	/** Null for an API key: it counts to its organization alone. */
	senderId: number | null
	/** Null for a community that belongs to none. */
	org: { id: string; tier: TierName } | null
}

/**
 * Counts an invitation to an address, from a person and from an organization, in one statement; 429 when a day has
 * had enough of them. Each report of the last 30 days halves what an organization may send.
 */
export async function countInvitation(deps: Deps, { email, senderId, org }: Sender): Promise<void> {
	const { db, now, env, secrets } = deps
	if (!secrets) throw new AppError('not_configured', 'invitations are not set up: AUTH_SECRET is missing')
	const rule = (name: string, limit: number) => ({ name: `invitation ${name}`, limit, windowMs: DAY })
	const counted = [{ rule: rule('address', PER_ADDRESS), subject: email }]
	if (senderId !== null) counted.push({ rule: rule('person', PER_PERSON), subject: String(senderId) })
	if (org) {
		const limit = env.vars.INVITATIONS_PER_DAY ?? invitationsPerDay[org.tier]
		const reports = await refusalStore(db).countReports(org.id, now)
		counted.push({ rule: rule('organization', Math.floor(limit / 2 ** reports)), subject: org.id })
	}
	await attemptCounter(db, secrets, now).count(counted)
}
