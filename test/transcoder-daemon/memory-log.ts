import { jsonLog } from '../../transcoder-daemon/log.ts'

/** A log that keeps its entries in memory. */
export function memoryLog() {
	const lines: string[] = []
	const log = jsonLog(
		(line) => lines.push(line),
		() => new Date(0),
	)
	return {
		log,
		lines,
		messages: () => lines.map((line) => (JSON.parse(line) as { message: string }).message),
	}
}
