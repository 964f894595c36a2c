import { z } from 'zod'

/** The steps that repair a restored database, in their order. Requests are served again from `reopen` on. */
export const repairSteps = [
	'raise-sequences',
	'repeat-revocations',
	'repeat-erasures',
	'restart-jobs',
	'compare-subscriptions',
	'end-access',
	'reopen',
	'sweep-storage',
] as const
export const RepairStep = z.enum(repairSteps)
export type RepairStep = z.infer<typeof RepairStep>
