import { expect, test } from 'vitest'
import { captionStyleNames, findStyleIndex } from '../../../../../edge/web/player/captions/caption-style.ts'

test('a stored caption style that no longer exists becomes the default', () => {
	expect(findStyleIndex('size', 'huge')).toBe(3)
	for (const stored of [undefined, 'enormous', ''])
		for (const name of captionStyleNames) expect(findStyleIndex(name, stored)).toBe(0)
})
