import { expect, test } from 'vitest'
import { formatClock } from '#schema/contract/kit/clock.ts'
import { formatSpokenTime } from '../../../../edge/web/parts/spoken-time.ts'

test.each([
	[-1, '0:00'],
	[0, '0:00'],
	[9.99, '0:09'],
	[39.999999, '0:40'],
	[60, '1:00'],
	[3_599.9, '59:59'],
	[3_600, '1:00:00'],
	[36_061, '10:01:01'],
])('a clock shows %d seconds as %s', (sec, clock) => {
	expect(formatClock(sec)).toBe(clock)
})

test.each([
	[0, 'en', '0 seconds'],
	[1, 'en', '1 second'],
	[60, 'en', '1 minute'],
	[65.9, 'en', '1 minute, 5 seconds'],
	[39.999999, 'en', '40 seconds'],
	[3_600, 'en', '1 hour'],
	[7_325, 'en', '2 hours, 2 minutes, 5 seconds'],
	[7_325, 'de', '2 Stunden, 2 Minuten und 5 Sekunden'],
	[61, 'fr', '1 minute et 1 seconde'],
	[61, 'es', '1 minuto y 1 segundo'],
])('%d seconds in %s are read aloud as “%s”', (sec, language, text) => {
	// Some languages have spaces at which a line can't break, depending on the version of ICU.
	expect(formatSpokenTime(sec, language).replaceAll(/\s/g, ' ')).toBe(text)
})
