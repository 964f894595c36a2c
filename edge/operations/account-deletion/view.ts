import type { DeletionStatus } from '#schema/contract/operations/account-deletion.ts'
import { toIso, toIsoOrNull } from '../../platform/clock.ts'
import { computeDaysRemaining } from './request/schedule.ts'
import type { DeletionRequestRow } from './store.ts'

export const viewDeletion = (row: DeletionRequestRow, email: string, now: number): DeletionStatus => ({
	id: row.id,
	status: row.status,
	requested_at: toIso(row.requestedAt),
	scheduled_for: toIso(row.scheduledFor),
	confirmed_at: toIsoOrNull(row.confirmedAt),
	cancelled_at: toIsoOrNull(row.cancelledAt),
	completed_at: toIsoOrNull(row.completedAt),
	days_remaining: computeDaysRemaining(row, now),
	user_email: email,
})
