import { DAY } from '../../../platform/clock.ts'
import type { BackupRow } from '../store.ts'

/** After a failed drill, the next backup is tried after this time. */
const REST_MS = DAY

type Drilled = Pick<BackupRow, 'verifiedAt' | 'drilledAt'>

/** Returns the newest unverified backup if no drill has succeeded recently, or null. */
export function chooseBackupToVerify<B extends Drilled>(
	newestFirst: readonly B[],
	now: number,
	everyDays: number,
): B | null {
	// A future instant comes from a clock that was ahead, and would postpone drills until then.
	const past = (at: number | null) => (at !== null && at <= now ? at : 0)
	const last = (name: keyof Drilled) => Math.max(0, ...newestFirst.map((backup) => past(backup[name])))
	const isDue = now - last('verifiedAt') >= everyDays * DAY && now - last('drilledAt') >= REST_MS
	return (isDue && newestFirst.find(({ verifiedAt }) => verifiedAt === null)) || null
}
