/** Prints and counts what was made and what existed already. */
export type Report = {
	made(what: string): void
	found(what: string): void
	counts(): { made: number; found: number }
}

export function openReport(print: (line: string) => void): Report {
	let made = 0
	let found = 0
	return {
		made(what) {
			made++
			print(`  made   ${what}`)
		},
		found(what) {
			found++
			print(`  found  ${what}`)
		},
		counts: () => ({ made, found }),
	}
}
