import type { z } from 'zod'
import { listUnknownToAll } from '#schema/contract/kit/validation-messages.ts'
import { AppError } from '../errors.ts'

/** Throws 400 with the invalid fields, at most five. */
export function refuseInput(error: z.ZodError, prefix = ''): never {
	const fields: Record<string, string[]> = {}
	for (const issue of error.issues) {
		const name = issue.path.join('.')
		fields[name] = [...(fields[name] ?? []), issue.message]
	}
	const first = Object.entries(fields)
		.slice(0, 5)
		.map(([name, [message = '']]) =>
			name ? `${name}: ${message}` : message.replace(/^must/, 'the body must'),
		)
		.join('; ')
	throw new AppError('validation', prefix + first, {
		fields,
		fieldNames: error.issues.flatMap(listFieldNames),
	})
}

/** Returns the field of an issue, or the fields that the object must not have. */
function listFieldNames(issue: z.core.$ZodIssue): string[] {
	const unknown =
		issue.code === 'unrecognized_keys'
			? issue.keys
			: issue.code === 'invalid_union'
				? listUnknownToAll(issue.errors)
				: []
	return unknown.length > 0 ? unknown.map((name) => [...issue.path, name].join('.')) : [issue.path.join('.')]
}
