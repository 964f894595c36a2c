import { DAY, HOUR, MINUTE } from '../../../platform/clock.ts'

export type SendLimit = { perMs: number; codes: number }

/** Limits on codes sent to one requester. */
export const requesterLimits: readonly SendLimit[] = [
	{ perMs: MINUTE, codes: 1 },
	{ perMs: HOUR, codes: 5 },
	{ perMs: DAY, codes: 10 },
]

/** Returns when a limit allows the next code. `sentAt` lists the times of earlier codes, newest first. */
export const computeNextSendAt = (
	{ perMs, codes }: SendLimit,
	sentAt: readonly number[],
	now: number,
): number => (sentAt[codes - 1] ?? now - perMs) + perMs
