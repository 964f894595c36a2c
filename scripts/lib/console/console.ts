import {
	formatEntry,
	isLogged,
	type LogEntry,
	type LogFields,
	type LogLevel,
	type LogOptions,
	toPrintable,
} from '../../../transcoder-daemon/log-format.ts'
import { parsePrinted } from './parse.ts'
import { rankEntry } from './routine.ts'
import { followVideos, shortenVideo } from './videos.ts'

/** Prints all log entries of a local run in one format: the command's own, the Worker's and the daemon's. */
export type Console = {
	/** Takes one message that the Worker or the daemon printed. */
	printed(text: string, level?: LogLevel): void
	log(level: LogLevel, message: string, fields?: LogFields): void
	/** Prints text for a person, such as next steps. In JSON each line becomes an entry. */
	text(text: string): void
}

export type ConsoleOptions = LogOptions & {
	write: (line: string) => void
	now?: () => Date
	/** Maps a stack of the bundle to the sources. */
	mapStack?: (stack: string) => string
	/** Level of requests that are not routine (default debug). */
	requests?: LogLevel
	/** Returns false for entries that duplicate others. */
	isShown?: (entry: LogEntry) => boolean
}

export function openConsole(parts: ConsoleOptions): Console {
	const { write, now = () => new Date(), mapStack, requests = 'debug', isShown = () => true } = parts
	const isNewState = followVideos()
	const print = (entry: LogEntry) => {
		const ranked = rankEntry(entry, requests)
		if (isLogged(ranked.level, parts.level) && isShown(ranked) && isNewState(ranked))
			write(formatEntry(parts.format === 'pretty' ? shortenVideo(ranked) : ranked, parts))
	}
	const log: Console['log'] = (level, message, fields = {}) =>
		print({ time: now().toISOString(), level, message, fields })
	/** Prints text of several lines, such as a mail or a stack. */
	const block = (text: string, level: LogLevel) => {
		if (parts.format === 'json') log(level, text.trim())
		else if (isLogged(level, parts.level)) write(text.split('\n').map(toPrintable).join('\n'))
	}
	return {
		log,
		printed(text, level = 'info') {
			const entry = parsePrinted(text, now().toISOString())
			if (!entry) return block(mapStack ? mapStack(text) : text, level)
			const { stack } = entry.fields
			if (typeof stack === 'string' && mapStack) entry.fields.stack = mapStack(stack)
			print(entry)
		},
		text(text) {
			if (parts.format === 'pretty') return write(text)
			const time = now().toISOString()
			const entries = text
				.split('\n')
				.filter((line) => line.trim() !== '')
				.map((line) => formatEntry({ time, level: 'info', message: line.trim(), fields: {} }, parts))
			// One write, or other entries could come in between.
			write(entries.join('\n'))
		},
	}
}
