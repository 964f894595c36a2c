/** Prints the commands of a family, such as `npm run prove`. A name that does not exist is an error. */
export function listCommands(family: string, commands: Record<string, string>): void {
	const name = process.argv[2]
	const rows = Object.entries(commands).toSorted(([a], [b]) => (a < b ? -1 : 1))
	const width = Math.max(...rows.map(([each]) => each.length)) + 2
	const list = rows.map(([each, about]) => `  ${each.padEnd(width)}${about}`).join('\n')
	const usage = `npm run ${family} -- NAME [options]; with --help, NAME shows its options\n\n${list}`
	if (name === undefined || name === '--help' || name === '-h') {
		console.log(usage)
	} else {
		console.error(`${family} has no command ${JSON.stringify(name)}.\n\n${usage}`)
		process.exitCode = 64
	}
}
