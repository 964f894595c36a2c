import { availableParallelism, loadavg, totalmem } from 'node:os'
import type { MachineKind } from '#schema/contract/video/fleet.ts'

const CORES_PER_SLOT = 4
/** Memory of one encode of all rungs from a 1080p source, rounded up. */
const MEMORY_PER_SLOT = 1.5 * 1024 ** 3

export type Hardware = { cores: number; memoryBytes: number }

/** Returns the hardware that this process may use: pinned cores and container limits count. */
export function readHardware(): Hardware {
	// 0, or a number above the total memory, means no limit.
	const limit = process.constrainedMemory()
	const total = totalmem()
	return { cores: availableParallelism(), memoryBytes: limit > 0 ? Math.min(limit, total) : total }
}

/** Returns the load average of one minute. Windows always reports 0. */
export const readLoad = (): number => Math.round((loadavg()[0] ?? 0) * 100) / 100

const suffixes = [
	['nvidia', '_nvenc'],
	['qsv', '_qsv'],
	['vaapi', '_vaapi'],
	['videotoolbox', '_videotoolbox'],
] as const

export const findMachineKind = (encoders: readonly string[]): MachineKind =>
	suffixes.find(([, suffix]) => encoders.some((name) => name.endsWith(suffix)))?.[0] ?? 'cpu'

/**
 * Returns how many chunks to encode concurrently. x264 uses about four cores; a hardware encoder leaves cores free,
 * so two tasks keep it busy.
 */
export function chooseSlots({ cores, memoryBytes }: Hardware, kind: MachineKind): number {
	const byCores = Math.max(kind === 'cpu' ? 1 : 2, Math.floor(cores / CORES_PER_SLOT))
	const byMemory = Math.max(1, Math.floor(memoryBytes / MEMORY_PER_SLOT))
	return Math.min(byCores, byMemory, 256)
}
