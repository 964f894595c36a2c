import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import document from '#schema/openapi.json' with { type: 'json' }
import { toYaml } from '../../../../edge/operations/documents/yaml.ts'
import { propertyRuns } from '../../../support/shared/property-runs.ts'

test('a YAML parser reads the OpenAPI document as equal to the JSON', () => {
	expect(parse(toYaml(document))).toEqual(document)
})

test('a YAML parser reads any JSON object as equal, whatever its keys and texts are', () => {
	const keys = fc.oneof(
		fc.string({ unit: 'binary' }),
		fc.constantFrom('yes', 'null', '<<', '- a', 'a: b', '#', '1'),
	)
	const values = fc.jsonValue({ depthSize: 'small' })
	fc.assert(
		fc.property(fc.dictionary(keys, values, { noNullPrototype: true }), (object) => {
			expect(parse(toYaml(object), { version: '1.2' })).toEqual(JSON.parse(JSON.stringify(object)))
		}),
		{ numRuns: propertyRuns(100) },
	)
})
