import type { DeletionStatus } from '#schema/contract/operations/account-deletion.ts'
import { iso, isoOrNull } from '../../platform/clock.ts'
import { daysRemaining } from './request/schedule.ts'
import type { DeletionRequestRow } from './store.ts'

export const viewDeletion = (row: DeletionRequestRow, email: string, now: number): DeletionStatus => ({
	id: row.id,
	status: row.status,
	requested_at: iso(row.requestedAt),
	scheduled_for: iso(row.scheduledFor),
	confirmed_at: isoOrNull(row.confirmedAt),
	cancelled_at: isoOrNull(row.cancelledAt),
	completed_at: isoOrNull(row.completedAt),
	days_remaining: daysRemaining(row, now),
	user_email: email,
})
