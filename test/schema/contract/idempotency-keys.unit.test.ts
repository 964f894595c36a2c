import { describe, expect, test } from 'vitest'
import { allOperations } from '#schema/contract/index.ts'
import { findIdempotencyKeyUse, keepsResponses } from '#schema/contract/kit/idempotency-key.ts'
import { buildOpenApi } from '#schema/contract/kit/openapi.ts'

const posts = allOperations.filter(({ method }) => method === 'post')
const { paths } = buildOpenApi(allOperations, [], '1')

describe('Idempotency-Key', () => {
	test.each(posts.map(({ id, path }) => [id, path]))(
		'the contract documents what Idempotency-Key does for %s',
		(_, path) => {
			const { parameters = [], description = '' } = (paths[path]?.post ?? {}) as {
				parameters?: { $ref?: string }[]
				description?: string
			}
			const isListed = parameters.some(({ $ref }) => $ref === '#/components/parameters/IdempotencyKey')
			const isException = /Keeps no response for `Idempotency-Key`|`Idempotency-Key` has no effect/.test(
				description,
			)
			expect({ isListed, isException }).toEqual({ isListed: !isException, isException: !isListed })
		},
	)

	test('every exception from Idempotency-Key is an operation that changes something', () => {
		const reads = allOperations.filter(({ idempotencyKey, method }) => idempotencyKey && method === 'get')
		expect(reads.map(({ id }) => id)).toEqual([])
	})

	test('every POST that costs or creates something accepts Idempotency-Key', () => {
		for (const id of ['createComment', 'toggleReaction', 'importSource', 'runAiSteps', 'translateSubtitles'])
			expect([id, keepsResponses(posts.find((op) => op.id === id) as never)]).toEqual([id, true])
		for (const id of ['addPostImage', 'createCheckout', 'createMemberToken', 'recoverWebhookEvents'])
			expect([id, keepsResponses(posts.find((op) => op.id === id) as never)]).toEqual([id, true])
	})

	test('Idempotency-Key stores no response for an anonymous caller without a rate limit per address', () => {
		const unlimited = posts.filter((op) => keepsResponses(op) && op.auth === 'public' && !op.shield)
		expect(unlimited.map(({ id }) => id)).toEqual([])
	})

	test('Idempotency-Key stores no response of a sign-in by password, code, passkey or token', () => {
		const ids = ['login', 'verifyCode', 'verifySignupCode', 'verifySecondFactor', 'signInWithPasskey']
		for (const id of [...ids, 'reauthenticate', 'refreshToken', 'pollDeviceToken'])
			expect([id, findIdempotencyKeyUse(posts.find((op) => op.id === id) as never)]).toEqual([id, 'unkept'])
	})

	test('Idempotency-Key stores no large or binary response', () => {
		const binary = posts.filter((op) => keepsResponses(op) && op.answersWith)
		expect(binary.map(({ id }) => id)).toEqual([])
	})
})
