import type { Operation } from '#schema/contract/kit/operation.ts'
import { AppError } from '../errors.ts'

/** Returns the fields of a body that may be wrapped in one named object, as clients of Circle send it. */
export function unwrapBody({ bodyWrapper: name }: Pick<Operation, 'bodyWrapper'>, body: unknown): unknown {
	if (name === undefined || typeof body !== 'object' || body === null || !Object.hasOwn(body, name))
		return body
	if (Object.keys(body).length > 1)
		throw new AppError(
			'validation',
			`the body has fields inside and outside of ${name}; put all of them in one place`,
		)
	return (body as Record<string, unknown>)[name]
}
