import type { GlobalOptions } from '../../frame/invocation.ts'
import type { Terminal } from '../../frame/terminal.ts'

export type EventLine = { id: string; sequence: number; timestamp: string; type: string; data: unknown }

export function printEvent(terminal: Terminal, { json }: GlobalOptions, event: EventLine): void {
	const { id, sequence, timestamp, type, data } = event
	if (json) terminal.printJson(event)
	else terminal.print([sequence, timestamp, type, id, JSON.stringify(data)].join('\t'))
}
