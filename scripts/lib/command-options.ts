import { type ParseArgsConfig, parseArgs } from 'node:util'

/** The exit status of a command that was called with options it does not have (EX_USAGE). */
const USAGE_STATUS = 64

/** Parses the options of a command. Ends the process with one line if an option is unknown or has no value. */
export function parseOptions<const T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
	try {
		return parseArgs(config)
	} catch (error) {
		const [line = ''] = (error as Error).message.split('\n')
		console.error(`${line.replace(/\.$/, '')}. See --help.`)
		process.exit(USAGE_STATUS)
	}
}

/** For commands whose only options are flags: prints `help` for --help and ends the process. */
export function readFlags<const Name extends string>(help: string, ...names: Name[]): Record<Name, boolean> {
	const flag = { type: 'boolean' } as const
	const options = Object.fromEntries(names.map((name) => [name, flag]))
	const { values } = parseOptions({ options: { ...options, help: { ...flag, short: 'h' } } })
	if (values.help) {
		console.log(help)
		process.exit(0)
	}
	return Object.fromEntries(names.map((name) => [name, name in values])) as Record<Name, boolean>
}
