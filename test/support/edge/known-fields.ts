import type { Operation } from '#schema/contract/kit/operation.ts'

/** Returns the fields that the body of an operation knows, of many that suit different operations. */
export function knownFields({ body }: Operation, fields: Record<string, unknown>): Record<string, unknown> {
	const shape = body && 'shape' in body ? (body.shape as object) : {}
	return Object.fromEntries(Object.entries(fields).filter(([name]) => name in shape))
}
