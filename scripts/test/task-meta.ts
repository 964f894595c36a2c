import type {} from 'vitest'

declare module 'vitest' {
	/** Data that a test or a file adds to the summary of the run. */
	interface TaskMeta {
		/** Why the test or suite is skipped. */
		skipReason?: string
		/** Whether it does not run on this database, because it runs on D1. */
		isOnD1?: boolean
		/** For a file of the edge projects: statements that no earlier file in its runtime sent. */
		newStatements?: string[]
	}
}
