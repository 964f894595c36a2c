import type {} from 'vitest'

declare module 'vitest' {
	/** Data that a test or a file adds to the summary of the run. */
	interface TaskMeta {
		/** Why the test or suite is skipped. */
		skipReason?: string
		isSkippedOnLibsql?: boolean
		/** For a file of the edge projects: statements that no earlier file in its runtime sent. */
		newStatements?: string[]
		/** For a file of the projects unit and node: the CPU time of its process and of the programs that it ran. */
		cpuMs?: number
	}
}
