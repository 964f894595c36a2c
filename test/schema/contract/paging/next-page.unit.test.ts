import { expect, test } from 'vitest'
import { z } from 'zod'
import { allOperations } from '#schema/contract/index.ts'
import { namesNextPage } from '#schema/contract/kit/page.ts'

/** Lists of `/v1` whose body a row of the specification describes. */
const fixedBodies = ['listAssets', 'listCollections']

test('every paged list of /v1 names its next page in the body, except where the specification fixes the body', () => {
	const lists = allOperations.filter(({ paged, path }) => paged && path.startsWith('/v1/'))
	const without = lists.filter((op) => !namesNextPage(op)).map(({ id }) => id)
	expect(without.toSorted()).toEqual(fixedBodies)
})

test('a body names the next page of a list only if it has both data and next', () => {
	const [data, next] = [z.array(z.string()), z.string().nullable()]
	expect(namesNextPage({ response: z.object({ data, next }) })).toBe(true)
	expect(namesNextPage({ response: z.object({ data }) })).toBe(false)
	expect(namesNextPage({ response: data })).toBe(false)
	expect(namesNextPage({})).toBe(false)
})
