/** Prints and counts the items that were created and those that existed already. */
export type Report = {
	created(item: string): void
	found(item: string): void
	counts(): { created: number; found: number }
}

export function openReport(print: (line: string) => void): Report {
	let created = 0
	let found = 0
	return {
		created(item) {
			created++
			print(`  created  ${item}`)
		},
		found(item) {
			found++
			print(`  found    ${item}`)
		},
		counts: () => ({ created, found }),
	}
}
