import { stripVTControlCharacters } from 'node:util'

export type LogFields = Record<string, string | number | boolean | null | undefined>
export const logLevels = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof logLevels)[number]
export const logFormats = ['pretty', 'json'] as const
export type LogFormat = (typeof logFormats)[number]

/** A log entry of the daemon or the edge. */
export type LogEntry = { time: string; level: LogLevel; message: string; fields: LogFields }

export type LogOptions = { format: LogFormat; level: LogLevel; color: boolean }

type Environment = Readonly<Record<string, string | undefined>>
type Terminal = { isTTY?: boolean; hasColors?(): boolean }

/** Ignores invalid values: the configuration check reports them, and needs a log to do so. */
export function readLogOptions(env: Environment, out: Terminal): LogOptions {
	const isTerminal = out.isTTY === true
	return {
		format: logFormats.find((format) => format === env.LOG_FORMAT) ?? (isTerminal ? 'pretty' : 'json'),
		level: logLevels.find((level) => level === env.LOG_LEVEL) ?? 'info',
		color: isTerminal && (out.hasColors?.() ?? true) && !env.NO_COLOR,
	}
}

export const isLogged = (level: LogLevel, minimum: LogLevel): boolean =>
	logLevels.indexOf(level) >= logLevels.indexOf(minimum)

export function formatEntry(
	entry: LogEntry,
	{ format, color }: Pick<LogOptions, 'format' | 'color'>,
): string {
	const { time, level, message, fields } = entry
	return format === 'json' ? JSON.stringify({ time, level, message, ...fields }) : pretty(entry, color)
}

const codes = { dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const
type Style = keyof typeof codes
const levelStyle: Record<LogLevel, Style> = { debug: 'dim', info: 'green', warn: 'yellow', error: 'red' }

/** Formats an entry as `12:03:11 info  message  name=value`, with a stack on the lines below. */
function pretty({ time, level, message, fields }: LogEntry, color: boolean): string {
	const paint = (style: Style, text: string) => (color ? `\u001b[${codes[style]}m${text}\u001b[0m` : text)
	// Trace ids are for programs that read logs.
	const { stack, traceId: _, ...named } = fields
	const head = [
		paint('dim', clockOf(time)),
		paint(levelStyle[level], level.padEnd(5)),
		...(isRequest(message, fields) ? requestWords(fields, paint) : messageWords(message, named, paint)),
	]
	const stackLines =
		typeof stack === 'string' ? stack.split('\n').map((line) => `         ${toPrintable(line)}`) : []
	return [head.join(' '), ...stackLines].join('\n')
}

type Paint = (style: Style, text: string) => string

const isRequest = (message: string, { status }: LogFields) =>
	message === 'request' && typeof status === 'number'

/** The path comes from the caller. Where paths are not logged, the operation replaces it. */
function requestWords(fields: LogFields, paint: Paint): string[] {
	const { method, path, operation, status, ms, sql, requestId } = fields
	const code = Number(status)
	const style: Style = code >= 500 ? 'red' : code >= 400 ? 'yellow' : code >= 300 ? 'cyan' : 'green'
	return [
		String(method).padEnd(6),
		toPrintable(String(path ?? operation ?? '-')),
		paint(style, String(code)),
		`${ms} ms`,
		...(sql === undefined || sql === null ? [] : [`${sql} sql`]),
		...(requestId ? [paint('dim', String(requestId))] : []),
	]
}

function messageWords(message: string, fields: LogFields, paint: Paint): string[] {
	const present = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null)
	return [
		toPrintable(message),
		...present.map(([name, value]) => `${paint('dim', `${name}=`)}${toPrintable(quoted(String(value)))}`),
	]
}

const quoted = (text: string): string => (/[\s"=]/.test(text) || text === '' ? JSON.stringify(text) : text)

/**
 * Removes control and bidirectional characters: titles, paths and error messages come from outside and must not control
 * the terminal.
 */
export const toPrintable = (text: string): string =>
	stripVTControlCharacters(text).replace(/[\p{Cc}\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, ' ')

function clockOf(time: string): string {
	const date = new Date(time)
	return [date.getHours(), date.getMinutes(), date.getSeconds()]
		.map((part) => String(part).padStart(2, '0'))
		.join(':')
}
