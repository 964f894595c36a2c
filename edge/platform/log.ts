export type LogFields = Record<string, string | number | boolean | null | undefined>
export type Log = {
	info(message: string, fields?: LogFields): void
	warn(message: string, fields?: LogFields): void
	error(message: string, error: unknown, fields?: LogFields): void
	with(fields: LogFields): Log
}

/** One JSON object a line. What identifies a person (address, name, IP) never goes into a log. */
export function jsonLog(
	write: (level: 'info' | 'warn' | 'error', line: string) => void,
	base: LogFields = {},
): Log {
	const print = (level: 'info' | 'warn' | 'error', message: string, fields?: LogFields) =>
		write(level, JSON.stringify({ level, message, ...base, ...fields }))
	return {
		info: (message, fields) => print('info', message, fields),
		warn: (message, fields) => print('warn', message, fields),
		error: (message, error, fields) => print('error', message, { ...fields, ...describe(error) }),
		with: (fields) => jsonLog(write, { ...base, ...fields }),
	}
}

export const consoleLog: Log = jsonLog((level, line) => console[level](line))

function describe(error: unknown): LogFields {
	if (!(error instanceof Error)) return { error: String(error) }
	const cause = error.cause instanceof Error ? withoutParameters(error.cause.message) : undefined
	return {
		error: withoutParameters(error.message),
		cause,
		stack: error.stack && withoutParameters(error.stack),
	}
}

/** Drizzle's errors quote what was bound to the statement: addresses, hashes. It stands on the lines after this. */
const withoutParameters = (text: string) => text.replace(/\nparams: [^\n]*/g, '')
