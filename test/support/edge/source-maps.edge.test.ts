/** @module-tag d1 */
import { expect, test } from 'vitest'

/** Lines that no transformed file has. */
type Removed = {
	first: string
	second: string
}

test('the stack of an error names a line of the source file', () => {
	const error: Removed | Error = new Error('in line 11')
	expect(error.stack).toMatch(/\bsource-maps\.edge\.test\.ts:11:\d+/)
})
