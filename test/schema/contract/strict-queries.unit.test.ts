import { expect, test } from 'vitest'
import { z } from 'zod'
import { allOperations } from '#schema/contract/index.ts'

/** Reads the fields of the items of a list, or none. */
function itemFields(response: unknown): string[] {
	if (!(response instanceof z.ZodObject)) return []
	const list = response.shape.data
	return list instanceof z.ZodArray && list.element instanceof z.ZodObject
		? Object.keys(list.element.shape)
		: []
}

/** The community specification ignores unknown parameters, as its clients expect. */
const listsPeople = allOperations.filter(
	({ method, path, response, paged }) =>
		method === 'get' && paged && !path.startsWith('/api/headless/') && itemFields(response).includes('email'),
)

test('the check of strict queries covers every list of people: its items have an address', () => {
	expect(listsPeople.map(({ id }) => id)).toEqual(
		expect.arrayContaining([
			'listMembers',
			'listInvitations',
			'listCommunityMembers',
			'listCommunityInvitations',
			'listUsers',
		]),
	)
})

test.each(listsPeople)('$id rejects an unknown parameter instead of listing other people', (op) => {
	expect(op.strictQuery).toBe(true)
})
