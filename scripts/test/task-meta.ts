import type {} from 'vitest'

declare module 'vitest' {
	/** What a test or a file adds to the summary of the run. */
	interface TaskMeta {
		/** Why it is skipped. */
		skipReason?: string
		/** Of a file of the edge projects: statements that no file before it in its runtime had sent. */
		newStatements?: string[]
	}
}
