export type LogFields = Record<string, string | number | boolean | null | undefined>
export type Log = {
	info(message: string, fields?: LogFields): void
	warn(message: string, fields?: LogFields): void
	error(message: string, error: unknown, fields?: LogFields): void
	with(fields: LogFields): Log
}

/** Writes one JSON object per line. Logs never contain personal data such as addresses, names and IPs. */
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
	const message = withoutParameters(error.message)
	return { error: message, cause, stack: error.stack && withoutMessage(error.stack, error.message, message) }
}

/** Removes the bound parameters from Drizzle's errors, which contain addresses and hashes. */
const withoutParameters = (text: string): string => text.split('\nparams: ', 1)[0] ?? ''

/** Replaces the message quoted in a stack. If the stack quotes another error's message, cuts everything after it. */
const withoutMessage = (stack: string, message: string, shown: string): string =>
	withoutParameters(stack.split(message).join(shown))
