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

/** Control characters have no form in a calendar. */
const escapeText = (text: string): string =>
	text
		.replaceAll(/\r\n?/g, '\n')
		.replaceAll(/[\p{Cc}]/gu, (character) => (character === '\n' || character === '\t' ? character : ''))
		.replaceAll(/[\\;,]/g, '\\$&')
		.replaceAll('\n', '\\n')

/** 20270101T090000Z */
const utc = (instant: number): string => new Date(instant).toISOString().replaceAll(/[-:]|\.\d{3}/g, '')

function eventLines(event: CalendarEvent, host: string): string[] {
	const place = event.inPersonLocation ?? event.virtualUrl
	return [
		'BEGIN:VEVENT',
		`UID:event-${event.id}@${host}`,
		`DTSTAMP:${utc(event.updatedAt)}`,
		`LAST-MODIFIED:${utc(event.updatedAt)}`,
		`DTSTART:${utc(event.startsAt)}`,
		`DTEND:${utc(event.endsAt)}`,
		`SUMMARY:${escapeText(event.title)}`,
		...(event.description ? [`DESCRIPTION:${escapeText(event.description)}`] : []),
		...(place ? [`LOCATION:${escapeText(place)}`] : []),
		...(event.virtualUrl ? [`URL:${event.virtualUrl}`] : []),
		'END:VEVENT',
	]
}

/** A calendar as RFC 5545 has it; times are UTC, which every program turns into its reader's own. */
export const calendarOf = (name: string, host: string, events: readonly CalendarEvent[]): string =>
	[
		'BEGIN:VCALENDAR',
		'VERSION:2.0',
		'PRODID:-//Playhouse//Community//EN',
		'CALSCALE:GREGORIAN',
		'METHOD:PUBLISH',
		`X-WR-CALNAME:${escapeText(name)}`,
		...events.flatMap((event) => eventLines(event, host)),
		'END:VCALENDAR',
		'',
	]
		.map(fold)
		.join('\r\n')
