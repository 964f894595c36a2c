import { readFileSync } from 'node:fs'

const EVERY_MS = 100

export type MemoryWatch = { peakBytes(): number; [Symbol.dispose](): void }

/** The most that a process and all it started held together, as seen ten times a second. */
export function watchMemory(pid: number): MemoryWatch {
	let peak = 0
	const look = () => {
		peak = Math.max(peak, heldBy(pid))
	}
	look()
	const timer = setInterval(look, EVERY_MS)
	return { peakBytes: () => peak, [Symbol.dispose]: () => clearInterval(timer) }
}

function heldBy(pid: number): number {
	const pages = Number(read(`/proc/${pid}/statm`).split(' ')[1] ?? 0)
	const children = read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean)
	return pages * 4_096 + children.reduce((sum, child) => sum + heldBy(Number(child)), 0)
}

/** What has ended meanwhile holds nothing. */
function read(path: string): string {
	try {
		return readFileSync(path, 'utf8')
	} catch {
		return ''
	}
}
