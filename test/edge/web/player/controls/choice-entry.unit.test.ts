import { expect, test } from 'vitest'
import { chooseMark } from '../../../../../edge/web/player/controls/choice-entry.ts'

test.each([
	['480p', undefined],
	['720p', 'HD'],
	['1080p AV1', 'HD'],
	['2160p', '4K'],
	['Auto (1080p)', undefined],
	['English', undefined],
])('the choice %s has the mark %s', (label, mark) => {
	expect(chooseMark(label)).toBe(mark)
})
