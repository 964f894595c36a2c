import fc from 'fast-check'
import { expect, test } from 'vitest'
import { stringifyForScript } from '../../../../edge/watch/player/document.ts'
import { propertyRuns } from '../../../support/shared/property-runs.ts'
import { hostileText } from './sharing/hostile-text.ts'

const value = fc.oneof(
	fc.jsonValue({ stringUnit: 'binary' }),
	hostileText,
	fc.dictionary(hostileText, hostileText),
)

test('the data of a page can’t end its script element, and is parsed unchanged', () => {
	fc.assert(
		fc.property(value, (data) => {
			const text = stringifyForScript(data)
			expect(text).not.toMatch(/<|\u2028|\u2029/)
			expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(data)))
		}),
		{ numRuns: propertyRuns(1_000), examples: [['</script><!--<script>\u2028\u2029']] },
	)
})
