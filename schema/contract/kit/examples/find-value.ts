import type { z } from 'zod'
import { community } from './vocabulary/community.ts'
import { numberRules, numbers } from './vocabulary/numbers.ts'
import { operations } from './vocabulary/operations.ts'
import { people } from './vocabulary/people.ts'
import { times, usualTime } from './vocabulary/times.ts'
import { video } from './vocabulary/video.ts'

const vocabulary: Readonly<Record<string, unknown>>[] = [people, video, community, operations]

/**
 * Returns the values that may fit a field, the most specific first. `path` starts with the operation and contains the
 * names of fields and of components. A key such as `Space.name` applies wherever `name` is somewhere in a `Space`.
 */
export function* listCandidates(path: readonly string[]): Generator<unknown> {
	const name = path.at(-1) ?? ''
	const keys = [
		...path
			.slice(0, -1)
			.reverse()
			.map((ancestor) => `${ancestor}.${name}`),
		name,
	]
	for (const key of keys)
		for (const words of [...vocabulary, numbers, times]) if (Object.hasOwn(words, key)) yield words[key]
}

/** Whether the vocabulary names a field of this operation alone. */
export const hasOwnExample = (operationId: string, name: string): boolean =>
	vocabulary.some((words) => Object.hasOwn(words, `${operationId}.${name}`))

/** Returns the values that follow from the schema of a text or number. */
export function* deriveCandidates(schema: z.ZodType, name: string): Generator<unknown> {
	const { type, format, checks = [] } = schema._zod.def as z.core.$ZodStringDef & { format?: string }
	if (type === ('number' as string)) for (const [rule, value] of numberRules) if (rule.test(name)) yield value
	if (format === 'datetime') yield usualTime
	for (const check of checks) {
		const { pattern } = check._zod.def as { pattern?: RegExp }
		const prefix = /^\^([a-z]+_)\[0-9a-z\]\{26\}\$$/.exec(pattern?.source ?? '')?.[1]
		if (prefix) yield `${prefix}01k9x3v7qzh4t8c2m6r0p3w7n5`
	}
}
