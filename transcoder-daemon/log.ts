export type LogFields = Record<string, string | number | boolean | null | undefined>

export type Log = {
	info(message: string, fields?: LogFields): void
	warn(message: string, fields?: LogFields): void
	error(message: string, fields?: LogFields): void
}

/** One JSON object a line. The fleet's token and machine tokens never go into it. */
export const jsonLog = (write: (line: string) => void, now: () => Date): Log => {
	const print = (level: keyof Log) => (message: string, fields?: LogFields) =>
		write(JSON.stringify({ time: now().toISOString(), level, message, ...fields }))
	return { info: print('info'), warn: print('warn'), error: print('error') }
}

/** What went wrong, with the cause: undici says only "fetch failed" and hides the reason one level down. */
export function reasonOf(error: unknown): string {
	if (!(error instanceof Error)) return String(error)
	const { cause } = error
	if (!(cause instanceof Error)) return error.message
	return `${error.message} (${('code' in cause && cause.code) || cause.message})`
}
