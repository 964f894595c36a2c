export type CalendarEvent = {
	id: number
	title: string
	description: string
	startsAt: number
	endsAt: number
	updatedAt: number
	inPersonLocation: string | null
	virtualUrl: string | null
}

/** RFC 5545 3.1: a line has at most 75 octets without its line break; a continuation starts with a space. */
const LINE_OCTETS = 75

const utf8LengthOf = (codePoint: number) =>
	codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4

/** Folds a line between code points, so that no character is split. */
function fold(line: string): string {
	// A UTF-16 unit takes at most three octets in UTF-8, so this line is short enough.
	if (line.length * 3 <= LINE_OCTETS) return line
	const lines: string[] = []
	let current = ''
	let size = 0
	for (const character of line) {
		const octets = utf8LengthOf(character.codePointAt(0) as number)
		if (size + octets > LINE_OCTETS) {
			lines.push(current)
			current = ' '
			size = 1
		}
		current += character
		size += octets
	}
	return [...lines, current].join('\r\n')
}

/** Escapes text. Removes control characters, which RFC 5545 forbids, and unifies line breaks: some parsers split at U+2028. */
const writeText = (text: string): string =>
	text
		.toWellFormed()
		.replaceAll(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
		.replaceAll(/[\p{Cc}]/gu, (character) => (character === '\n' || character === '\t' ? character : ''))
		.replaceAll(/[\\;,]/g, '\\$&')
		.replaceAll('\n', '\\n')

/** Returns a web address as printable ASCII, since the URL parser encodes everything else; null for other URLs. */
function writeUrl(text: string): string | null {
	const url = URL.parse(text)
	return url && /^https?:$/.test(url.protocol) ? url.href : null
}

/** Returns an instant such as `20270101T090000Z`. */
const writeInstant = (instant: number): string =>
	new Date(instant).toISOString().replaceAll(/[-:]|\.\d{3}/g, '')

/**
 * Returns the end, or null where it equals the start in whole seconds: DTEND must be later than DTSTART (RFC 5545
 * 3.8.2.2). An event without DTEND ends when it starts (3.6.1).
 */
const endOf = ({ startsAt, endsAt }: CalendarEvent): number | null =>
	writeInstant(endsAt) === writeInstant(startsAt) ? null : endsAt

type Property = readonly [name: string, value: string | number | null, kind?: 'url']

/** Writes every property: escapes the value by its type and folds the line. Returns an empty string without a value. */
function writeProperty([name, value, kind]: Property): string {
	if (value === null) return ''
	const escaped =
		typeof value === 'number' ? writeInstant(value) : kind === 'url' ? writeUrl(value) : writeText(value)
	return escaped === null ? '' : `${fold(`${name}:${escaped}`)}\r\n`
}

const propertiesOf = (event: CalendarEvent, host: string): Property[] => [
	['BEGIN', 'VEVENT'],
	['UID', `event-${event.id}@${host}`],
	['DTSTAMP', event.updatedAt],
	['LAST-MODIFIED', event.updatedAt],
	['DTSTART', event.startsAt],
	['DTEND', endOf(event)],
	['SUMMARY', event.title],
	['DESCRIPTION', event.description || null],
	['LOCATION', event.inPersonLocation ?? event.virtualUrl],
	['URL', event.virtualUrl, 'url'],
	['END', 'VEVENT'],
]

/** Returns an iCalendar file (RFC 5545). Times are UTC; calendar programs convert them to local time. */
export const writeCalendar = (name: string, host: string, events: readonly CalendarEvent[]): string =>
	(
		[
			['BEGIN', 'VCALENDAR'],
			['VERSION', '2.0'],
			['PRODID', '-//Playhouse//Community//EN'],
			['CALSCALE', 'GREGORIAN'],
			['METHOD', 'PUBLISH'],
			['X-WR-CALNAME', name],
			...events.flatMap((event) => propertiesOf(event, host)),
			['END', 'VCALENDAR'],
		] satisfies Property[]
	)
		.map(writeProperty)
		.join('')
