import { expect, test } from 'vitest'
import { chooseBars } from '../../../../../edge/web/player/audio/waveform.ts'

test('each bar of a waveform is as high as the loudest peak of its part', () => {
	expect(chooseBars([1, 9, 3, 4, 5, 2], 3)).toEqual([9, 4, 5])
})

test('a waveform has no more bars than peaks', () => {
	expect(chooseBars([1, 2], 10)).toEqual([1, 2])
	expect(chooseBars([], 10)).toEqual([])
})
