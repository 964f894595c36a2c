import { expect, test } from 'vitest'
import document from '#schema/openapi.json' with { type: 'json' }
import { lintOpenapi } from '../../../scripts/check/openapi-lint.ts'
import { exceptions } from '../../../scripts/check/openapi-rules.ts'

/** Returns the rules that a change of a small, valid document breaks. */
async function rulesBrokenBy(change: (copy: Record<string, never>) => void): Promise<string[]> {
	const { health, ...rest } = { health: document.paths['/health/live'], ...document }
	const copy = structuredClone({ ...rest, paths: { '/health/live': health }, webhooks: {}, components: {} })
	const small = JSON.parse(JSON.stringify(copy).replaceAll(/"\$ref":"[^"]+"/g, '"description":"x"'))
	change(small)
	const problems = await lintOpenapi(JSON.stringify(small))
	return problems.map(({ linter, rule }) => `${linter} ${rule}`)
}

test('the linters of OpenAPI find an operation without security and a webhook without an id', async () => {
	const broken = await rulesBrokenBy((copy) => {
		Object.assign(copy, {
			webhooks: { x: { post: { summary: 's', responses: { 200: { description: 'd' } } } } },
		})
	})
	expect(broken).toEqual(
		expect.arrayContaining(['redocly security-defined', 'redocly operation-operationId']),
	)
})

test('the linters of OpenAPI find an array without items', async () => {
	const broken = await rulesBrokenBy((copy) => {
		Object.assign(copy, { components: { schemas: { Broken: { type: 'array' } } } })
	})
	expect(broken).toContain('spectral array-items')
})

test('the linters of OpenAPI find an example that contradicts its schema', async () => {
	const broken = await rulesBrokenBy((copy) => {
		Object.assign(copy, {
			components: {
				responses: {
					Broken: {
						description: 'd',
						content: {
							'application/json': {
								schema: { type: 'object', properties: { id: { type: 'integer' } } },
								example: { id: 'text' },
							},
						},
					},
				},
			},
		})
	})
	expect(broken).toEqual(
		expect.arrayContaining(['redocly no-invalid-media-type-examples', 'spectral oas3-valid-media-example']),
	)
})

test('the OpenAPI document breaks exactly the rules that are listed as exceptions', async () => {
	const problems = await lintOpenapi(JSON.stringify(document), { redocly: {}, spectral: {}, owasp: {} })
	const broken = (linter: keyof typeof exceptions) =>
		[...new Set(problems.filter((problem) => problem.linter === linter).map(({ rule }) => rule))].sort()
	for (const linter of ['redocly', 'spectral', 'owasp'] as const)
		expect([linter, broken(linter)]).toEqual([linter, Object.keys(exceptions[linter]).sort()])
})
