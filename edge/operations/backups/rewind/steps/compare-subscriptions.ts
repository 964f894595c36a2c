import { billingStore } from '../../../../accounts/billing/store.ts'
import type { StepPart } from '../step-part.ts'

/** Makes every account of billing due, so that what was bought and cancelled since the backup is fetched again. */
export const compareSubscriptions: StepPart = async ({ db, now }) => ({
	cursor: null,
	changed: await billingStore(db).makeAllDue(now),
})
