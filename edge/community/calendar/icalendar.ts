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

/** RFC 5545: a line has 75 octets at most, without its end, and goes on behind a blank. */
const LINE_OCTETS = 75

/** Of a character in UTF-8. */
const octetsOf = (codePoint: number) =>
	codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4

/** By code points, so that no character is torn apart. */
function fold(line: string): string {
	// None of its characters has more than three octets for each unit that is counted here.
	if (line.length * 3 <= LINE_OCTETS) return line
	const lines: string[] = []
	let current = ''
	let size = 0
	for (const character of line) {
		const octets = octetsOf(character.codePointAt(0) as number)
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

/** A line break has a form in a calendar; other control characters have none, and separators end a line for some readers. */
const writeText = (text: string): string =>
	text
		.toWellFormed()
		.replaceAll(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
		.replaceAll(/[\p{Cc}]/gu, (character) => (character === '\n' || character === '\t' ? character : ''))
		.replaceAll(/[\\;,]/g, '\\$&')
		.replaceAll('\n', '\\n')

/** The URL parser encodes whatever no address may hold: its output is printable ASCII. Null for what is no web address. */
function writeUrl(text: string): string | null {
	const url = URL.parse(text)
	return url && /^https?:$/.test(url.protocol) ? url.href : null
}

/** 20270101T090000Z */
const writeInstant = (instant: number): string =>
	new Date(instant).toISOString().replaceAll(/[-:]|\.\d{3}/g, '')

type Property = readonly [name: string, value: string | number | null, kind?: 'url']

/** The only way into a calendar: escapes a value by its type, and folds the line. Nothing of a property without a value. */
function writeProperty([name, value, kind]: Property): string {
	if (value === null) return ''
	const written =
		typeof value === 'number' ? writeInstant(value) : kind === 'url' ? writeUrl(value) : writeText(value)
	return written === null ? '' : `${fold(`${name}:${written}`)}\r\n`
}

const propertiesOf = (event: CalendarEvent, host: string): Property[] => [
	['BEGIN', 'VEVENT'],
	['UID', `event-${event.id}@${host}`],
	['DTSTAMP', event.updatedAt],
	['LAST-MODIFIED', event.updatedAt],
	['DTSTART', event.startsAt],
	['DTEND', event.endsAt],
	['SUMMARY', event.title],
	['DESCRIPTION', event.description || null],
	['LOCATION', event.inPersonLocation ?? event.virtualUrl],
	['URL', event.virtualUrl, 'url'],
	['END', 'VEVENT'],
]

/** A calendar as RFC 5545 defines it. Times are UTC; every program converts them for its reader. */
export const calendarOf = (name: string, host: string, events: readonly CalendarEvent[]): string =>
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
