import { expect, test } from 'vitest'
import { Message } from '#schema/contract/messages.ts'
import { keptFields, redactBody } from '../../../../edge/platform/outbox/dead-letters.ts'

// A sweep repeats the erasure of a managed person, so their id need not be kept.
const leftOut = ['code', 'email', 'html', 'newEmail', 'subject', 'text', 'to', 'unsubscribeUrl', 'userId']

test('each field of a message is either kept in a dead letter or omitted by decision', () => {
	const fields = new Set(Message.options.flatMap((option) => Object.keys(option.shape)))
	expect([...fields].toSorted()).toEqual([...keptFields, ...leftOut].toSorted())
})

test('a dead letter keeps neither unknown fields nor long or nested values', () => {
	expect(redactBody({ type: 'a', secret: 'b', id: 'x'.repeat(501), kind: { deep: 1 } })).toEqual({
		type: 'a',
	})
	expect(redactBody(null)).toEqual({})
})
