import { normalizeStatement } from '../../../scripts/test/statement-coverage.ts'

// The runtime serves many files; each statement is reported once, by the first file that sends it.
const reported = new Set<string>()
let unreported: string[] = []

/** Records a statement of the Worker, for the comparison of the two databases at the end of the run. */
export function recordStatement(sql: string): void {
	const normalized = normalizeStatement(sql)
	if (reported.has(normalized)) return
	reported.add(normalized)
	unreported.push(normalized)
}

export function takeNewStatements(): string[] {
	const taken = unreported
	unreported = []
	return taken
}
