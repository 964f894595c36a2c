import { type LogEntry, type LogFields, logLevels } from '../../../transcoder-daemon/log-format.ts'

/** Parses a log entry; returns null for other text, such as a mail or a stack of the runtime. */
export function parsePrinted(text: string, time: string): LogEntry | null {
	if (!text.startsWith('{')) return null
	let value: unknown
	try {
		value = JSON.parse(text)
	} catch {
		return null
	}
	const { time: ownTime, level, message, ...fields } = value as Record<string, unknown>
	const knownLevel = logLevels.find((name) => name === level)
	if (!knownLevel || typeof message !== 'string') return null
	return {
		time: typeof ownTime === 'string' ? ownTime : time,
		level: knownLevel,
		message,
		fields: flattenFields(fields),
	}
}

/** Prints objects as JSON. */
const flattenFields = (fields: Record<string, unknown>): LogFields =>
	Object.fromEntries(
		Object.entries(fields).map(([name, value]) => [
			name,
			typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as LogFields[string]),
		]),
	)
