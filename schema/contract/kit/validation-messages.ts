import { z } from 'zod'
import { describeUnknownNames } from './bodies/unknown-names.ts'

/** The parts of an issue that a message can name. Other parts are for programs. */
type Issue = Parameters<z.core.$ZodErrorMap>[0]

const things: Record<string, string> = {
	string: 'a text',
	number: 'a number',
	int: 'a whole number',
	boolean: 'true or false',
	array: 'a list',
	object: 'an object',
	record: 'an object',
	date: 'a date',
	null: 'null',
}

const formats: Record<string, string> = {
	url: 'must be a complete URL',
	email: 'must be an email address',
	datetime: 'must be a date and time in ISO 8601, such as 2026-01-31T12:00:00Z',
	date: 'must be a date, such as 2026-01-31',
	json_string: 'must be valid JSON',
}

const counted = (amount: number | bigint, origin: string): string => {
	const plural = amount === 1 || amount === 1n ? '' : 's'
	if (origin === 'string') return `${amount} character${plural}`
	if (origin === 'array' || origin === 'set') return `${amount} ${plural ? 'entries' : 'entry'}`
	return origin === 'file' ? `${amount} byte${plural}` : String(amount)
}

const isSized = (origin: string): boolean => ['string', 'array', 'set', 'file'].includes(origin)

type Definition = { shape?: object; options?: readonly z.core.$ZodType[] }

/** Returns the fields of an object, or of all objects in a union. */
const knownFields = (schema: Issue['inst']): string[] => {
	const { shape = {}, options = [] } = (schema?._zod.def ?? {}) as Definition
	return [...Object.keys(shape), ...options.flatMap(knownFields)]
}

/** Returns the fields that no option of a union knows. */
export const listUnknownToAll = (options: readonly (readonly z.core.$ZodIssue[])[]): string[] => {
	const [first = [], ...others] = options.map((issues) =>
		issues.flatMap((issue) =>
			issue.code === 'unrecognized_keys' && issue.path.length === 0 ? issue.keys : [],
		),
	)
	return first.filter((name) => others.every((names) => names.includes(name)))
}

/** Returns a message for people, without patterns and without the words of the validator. */
export function describeIssue(issue: Issue): string {
	switch (issue.code) {
		case 'invalid_type':
			return issue.input === undefined ? 'is missing' : `must be ${things[issue.expected] ?? issue.expected}`
		case 'invalid_value':
			return issue.input === undefined
				? 'is missing'
				: `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`
		case 'too_big':
			return isSized(issue.origin)
				? `must have at most ${counted(issue.maximum, issue.origin)}`
				: `must be ${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}`
		case 'too_small':
			if (isSized(issue.origin) && Number(issue.minimum) === 1) return 'must not be empty'
			return isSized(issue.origin)
				? `must have at least ${counted(issue.minimum, issue.origin)}`
				: `must be ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}`
		case 'not_multiple_of':
			return `must be a multiple of ${issue.divisor}`
		case 'invalid_format':
			return formats[issue.format] ?? 'has the wrong format'
		case 'unrecognized_keys':
			return describeUnknownNames('field', issue.keys, knownFields(issue.inst))
		case 'invalid_key':
			return 'has a key of the wrong format'
		case 'invalid_union': {
			const unknown = listUnknownToAll(issue.errors)
			return unknown.length > 0
				? describeUnknownNames('field', unknown, knownFields(issue.inst))
				: 'is not valid'
		}
		default:
			return 'is not valid'
	}
}

z.config({ localeError: describeIssue })
