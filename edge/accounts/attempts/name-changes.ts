import { requireSecrets } from '../../http/require-secrets.ts'
import { DAY } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import { attemptCounter } from './attempt-counter.ts'

const PER_PERSON = { name: 'name change', limit: 20, windowMs: DAY }

/** Counts a person's name changes, of the account and in all communities together; throws 429 over the daily limit. */
export async function countNameChange(deps: Deps, userId: number): Promise<void> {
	const counter = attemptCounter(deps.db, requireSecrets(deps, 'name changes'), deps.now)
	await counter.count([{ rule: PER_PERSON, subject: String(userId) }])
}
