import { expect, test } from 'vitest'
import { allOperations } from '#schema/contract/index.ts'
import { findOpenQuery, openQueryIds } from '#schema/contract/kit/queries/open-queries.ts'

const find = (id: string) => allOperations.find((op) => op.id === id)

test('every operation with an open query exists', () => {
	expect([...openQueryIds].filter((id) => !find(id))).toEqual([])
})

test('outside the community specification, every operation for people and API keys rejects unknown parameters', () => {
	const open = allOperations.filter(
		(op) =>
			findOpenQuery(op) !== undefined &&
			!['public', 'upload', 'metrics', 'machine', 'registration'].includes(op.auth) &&
			!op.path.startsWith('/api/headless/'),
	)
	expect(open.map(({ id }) => id)).toEqual([])
})

test('every list of the community specification with page and per_page accepts the parameters of its clients', () => {
	const lists = allOperations.filter(
		({ path, query }) => path.startsWith('/api/headless/') && query && 'per_page' in query.shape,
	)
	expect(lists.length).toBeGreaterThan(10)
	expect(lists.filter((op) => findOpenQuery(op) === undefined).map(({ id }) => id)).toEqual([])
})

test('no change of the community specification ignores a parameter', () => {
	const changes = allOperations.filter(
		({ method, path }) => path.startsWith('/api/headless/') && method !== 'get',
	)
	expect(changes.filter((op) => findOpenQuery(op) !== undefined).map(({ id }) => id)).toEqual([])
})
