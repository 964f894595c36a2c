import { z } from 'zod'

const ETag = z.string().meta({
	description:
		'Identifies the values of the fields that an update takes. Changes of other fields, such as by processing, keep the tag',
})

/** Properties of an operation that returns one record that another operation updates. */
export const returnsEtag = { answerHeaders: z.object({ ETag }) } as const

const IF_MATCH = 'If-Match'

/** Headers of an operation that updates a record. `If-Match` adds the error `precondition_failed`. */
export const takesIfMatch = {
	headers: z.object({
		[IF_MATCH]: z
			.string()
			.max(2_000)
			.regex(
				/^(?:\*|(?:W\/)?"[\x21\x23-\x7e]*"(?:[ \t]*,[ \t]*(?:W\/)?"[\x21\x23-\x7e]*")*)$/,
				'must be * or a list of entity tags',
			)
			.optional()
			.meta({
				description:
					'The `ETag` of the record that you read. If a field has changed since, the update is rejected with 412, and `X-Error-Fields` lists these fields. Without the header, or with `*`, the update is unconditional',
			}),
	}),
	...returnsEtag,
} as const

/** Whether an operation rejects changes of a record that has changed since the caller read it. */
export const takesCondition = ({ headers }: { readonly headers?: z.ZodObject }): boolean =>
	headers !== undefined && IF_MATCH in headers.shape
