import { DAY, HOUR, MINUTE } from '../platform/clock.ts'

export type SendLimit = { perMs: number; codes: number }

/** How many codes one asker is sent. */
export const askerLimits: readonly SendLimit[] = [
	{ perMs: MINUTE, codes: 1 },
	{ perMs: HOUR, codes: 5 },
	{ perMs: DAY, codes: 10 },
]

/** When a limit lets another code be sent, after those that were sent at these times, the newest first. */
export const nextSendAt = ({ perMs, codes }: SendLimit, sentAt: readonly number[], now: number): number =>
	(sentAt[codes - 1] ?? now - perMs) + perMs
