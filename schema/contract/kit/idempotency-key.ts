import { isMachineOperation } from './machine-operations.ts'
import type { Operation } from './operation.ts'

/** For operations that sign in or prove an identity. */
export const unkeptProof = { unkept: 'a replay would answer without checking the proof again' } as const

const machine = 'machines repeat requests by the epoch of their lease'

/** Returns why an operation keeps no response for `Idempotency-Key`, or undefined if it keeps one. */
const reasonNotKept = (op: Operation): string | undefined => {
	if (op.idempotencyKey && 'unkept' in op.idempotencyKey) return op.idempotencyKey.unkept
	return op.method === 'post' && isMachineOperation(op) ? machine : undefined
}

const reasonNeedless = ({ idempotencyKey: use }: Operation): string | undefined =>
	use && 'needless' in use ? use.needless : undefined

/**
 * How an operation treats `Idempotency-Key`. Each POST stores its response for retries unless it is an exception
 * above. Other methods need no key, because they are idempotent.
 */
export function findIdempotencyKeyUse(op: Operation): 'kept' | 'unkept' | 'needless' {
	if (reasonNotKept(op)) return 'unkept'
	return op.method === 'post' && !reasonNeedless(op) ? 'kept' : 'needless'
}

export const keepsResponses = (op: Operation): boolean => findIdempotencyKeyUse(op) === 'kept'

/** Describes the exceptions, for the OpenAPI document. */
export function describeIdempotencyKey(op: Operation): string {
	const reason = reasonNotKept(op)
	if (reason) return `Keeps no response for \`Idempotency-Key\` and runs again: ${reason}.`
	const needless = reasonNeedless(op)
	return needless ? `\`Idempotency-Key\` has no effect: ${needless}.` : ''
}
