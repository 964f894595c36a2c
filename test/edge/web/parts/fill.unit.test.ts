import { expect, test } from 'vitest'
import { fillPlaceholders } from '../../../../edge/web/parts/fill.ts'

test('each placeholder of a message is replaced by its value, and values are never read as placeholders', () => {
	expect(fillPlaceholders('{a} of {b}, {a}', { a: 1, b: '{a} $& $1' })).toBe('1 of {a} $& $1, 1')
	expect(fillPlaceholders('{a} {unknown}', { a: 0 })).toBe('0 {unknown}')
})
