import type { z } from 'zod'
import type { Operation } from '../kit/operation.ts'

type Place = { readonly id: string; readonly path: `/${string}`; readonly params: z.ZodObject }

type Alias<O, P> = Omit<O, keyof Place> & P & { readonly aliasOf: O }

/**
 * Describes an operation under a second path, for clients that were written for Circle. The same handler serves both
 * (`serveWithAliases`), and the OpenAPI document marks it with `x-alias-of`.
 */
export const describeAlias = <const O extends Operation, const P extends Place>(
	op: O,
	place: P,
	nesting: string,
): Alias<O, P> =>
	({
		...op,
		...place,
		aliasOf: op,
		description: `The same as \`${op.method.toUpperCase()} ${op.path}\`, under the path that clients of Circle use. ${nesting}`,
	}) as unknown as Alias<O, P>
