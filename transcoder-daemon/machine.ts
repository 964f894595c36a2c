import { availableParallelism, loadavg, totalmem } from 'node:os'
import type { MachineKind } from '#schema/contract/fleet.ts'

const CORES_PER_SLOT = 4
/** What one encode of all rungs of a 1080p source takes, with room to spare. */
const MEMORY_PER_SLOT = 1.5 * 1024 ** 3

export type Hardware = { cores: number; memoryBytes: number }

/** As far as this process may use it: pinned cores and a container's limits count, not what the board has. */
export function readHardware(): Hardware {
	// 0 or a number larger than the memory means no limit.
	const limit = process.constrainedMemory()
	const total = totalmem()
	return { cores: availableParallelism(), memoryBytes: limit > 0 ? Math.min(limit, total) : total }
}

/** Load average of one minute. Windows always says 0. */
export const readLoad = (): number => Math.round((loadavg()[0] ?? 0) * 100) / 100

const suffixes = [
	['nvidia', '_nvenc'],
	['qsv', '_qsv'],
	['vaapi', '_vaapi'],
	['videotoolbox', '_videotoolbox'],
] as const

/** What the machine is, going by what it has proved. */
export const kindOf = (encoders: readonly string[]): MachineKind =>
	suffixes.find(([, suffix]) => encoders.some((name) => name.endsWith(suffix)))?.[0] ?? 'cpu'

/** x264 fills about four cores well; a hardware encoder leaves the cores free, so that two tasks keep it busy. */
export function slotsFor({ cores, memoryBytes }: Hardware, kind: MachineKind): number {
	const byCores = Math.max(kind === 'cpu' ? 1 : 2, Math.floor(cores / CORES_PER_SLOT))
	const byMemory = Math.max(1, Math.floor(memoryBytes / MEMORY_PER_SLOT))
	return Math.min(byCores, byMemory, 256)
}
