import { afterAll } from 'vitest'
import { readTreeCpuMs } from '../../../scripts/test/cpu.ts'
import type {} from '../../../scripts/test/task-meta.ts'

/** Reports the CPU time that this process and its programs use until the end of a file. Called by a setup file. */
export function recordCpu(): void {
	const startMs = readTreeCpuMs()
	// Vitest reads the names of a hook's fixtures from its first parameter, so it must be a pattern.
	// biome-ignore lint/correctness/noEmptyPattern: no fixture is needed
	afterAll(({}, file) => {
		file.meta.cpuMs = readTreeCpuMs() - startMs
	})
}
