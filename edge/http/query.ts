import { describeUnknownNames } from '#schema/contract/kit/bodies/unknown-names.ts'
import type { Operation } from '#schema/contract/kit/operation.ts'
import { findOpenQuery } from '#schema/contract/kit/queries/open-queries.ts'
import { refuseInput } from './body/refuse-input.ts'
import { AppError } from './errors.ts'

/** Parses the query of a request. Unknown parameters get 400, except in the operations of open-queries.ts. */
export function parseQuery(op: Operation, url: string): unknown {
	const raw: Record<string, string> = {}
	const known = Object.keys(op.query?.shape ?? {})
	const unknown = new Set<string>()
	for (const [name, value] of new URL(url).searchParams) {
		if (!known.includes(name)) {
			unknown.add(name)
			continue
		}
		if (Object.hasOwn(raw, name)) throw new AppError('validation', `${name}: must not be repeated`)
		if (value.includes('\0')) throw new AppError('validation', `${name}: must not contain a NUL character`)
		raw[name] = value
	}
	if (unknown.size > 0 && !findOpenQuery(op))
		throw new AppError('validation', describeUnknownNames('parameter', [...unknown], known), {
			fieldNames: [...unknown],
		})
	if (!op.query) return undefined
	const result = op.query.safeParse(raw)
	return result.success ? result.data : refuseInput(result.error)
}
