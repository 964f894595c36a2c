import { expect, test } from 'vitest'
import { takesIfMatch } from '#schema/contract/kit/headers/entity-tag.ts'
import { computeEntityTag, findChangedFields } from '../../../../edge/http/entity-tag.ts'

const film = { title: 'Film', tags: { a: '1', b: '2' }, note: null }

test('an entity tag does not depend on the order of fields and keys', async () => {
	const reordered = { note: null, tags: { b: '2', a: '1' }, title: 'Film' }
	expect(await computeEntityTag(reordered)).toBe(await computeEntityTag(film))
})

test('the comparison with an entity tag names the fields whose values have changed', async () => {
	const tag = await computeEntityTag(film)
	expect(await findChangedFields([tag], film)).toBeNull()
	expect(await findChangedFields([tag], { ...film, title: 'Other' })).toEqual(['title'])
	expect(await findChangedFields([tag], { ...film, note: '', tags: { a: '1' } })).toEqual(['note', 'tags'])
})

test('If-Match needs one matching entity tag, which a proxy may have made weak', async () => {
	const tag = await computeEntityTag(film)
	expect(await findChangedFields(['"other"', tag], film)).toBeNull()
	expect(await findChangedFields(['"other"'], film)).toEqual(['note', 'tags', 'title'])
	expect(await findChangedFields([`W/${tag}`], film)).toBeNull()
	expect(await findChangedFields([`W/${tag}`], { ...film, note: '' })).toEqual(['note'])
})

test.each([
	['*', true],
	['"a"', true],
	['"a", W/"b" ,"c"', true],
	['', false],
	['a', false],
	['"a', false],
	['"a" "b"', false],
	['"a",', false],
	[`"${'a'.repeat(2_000)}"`, false],
])('If-Match accepts %s: %s', (value, isValid) =>
	expect(takesIfMatch.headers.safeParse({ 'If-Match': value }).success).toBe(isValid),
)
