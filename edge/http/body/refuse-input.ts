import '#schema/contract/kit/validation-messages.ts'
import type { z } from 'zod'
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
	throw new AppError('validation', prefix + first, { fields })
}
