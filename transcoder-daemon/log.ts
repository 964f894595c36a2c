import { formatEntry, isLogged, type LogFields, type LogOptions } from './log-format.ts'

export type { LogFields }

export type Log = {
	info(message: string, fields?: LogFields): void
	warn(message: string, fields?: LogFields): void
	error(message: string, fields?: LogFields): void
}

/** Logs one entry per line. The fleet token and machine tokens are never logged. */
export const lineLog = (write: (line: string) => void, now: () => Date, options: LogOptions): Log => {
	const print =
		(level: keyof Log) =>
		(message: string, fields: LogFields = {}) => {
			const entry = { time: now().toISOString(), level, message, fields }
			if (isLogged(level, options.level)) write(formatEntry(entry, options))
		}
	return { info: print('info'), warn: print('warn'), error: print('error') }
}

/** Logs one JSON object per line, at every level. */
export const jsonLog = (write: (line: string) => void, now: () => Date): Log =>
	lineLog(write, now, { format: 'json', level: 'debug', color: false })

/** Returns the error's message with its cause: undici says only "fetch failed" and hides the reason one level down. */
export function describeReason(error: unknown): string {
	if (!(error instanceof Error)) return String(error)
	const { cause } = error
	if (!(cause instanceof Error)) return error.message
	return `${error.message} (${('code' in cause && cause.code) || cause.message})`
}
