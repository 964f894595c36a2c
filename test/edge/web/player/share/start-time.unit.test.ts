import { expect, test } from 'vitest'
import { parseClock } from '../../../../../edge/web/player/share/start-time.ts'

test.each([
	['93', 93],
	['1:33', 93],
	[' 1:02:03 ', 3_723],
	['90:00', 5_400],
	['', null],
	['1:', null],
	['-5', null],
	['1:2:3:4', null],
	['soon', null],
])('the start time %j is read as %j seconds', (text, sec) => {
	expect(parseClock(text)).toBe(sec)
})
