import { z } from 'zod'

const ETag = z.string().meta({
	description:
		'Names the values of the fields that an update takes. Work of the server on other fields, such as processing, does not change it',
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
				'must be * or entity tags',
			)
			.optional()
			.meta({
				description:
					'The `ETag` of the record as you read it. If a field has another value now, nothing is changed: the status is 412, and `X-Error-Fields` lists these fields. Without the header, or with `*`, the update is made whatever the record is',
			}),
	}),
	...returnsEtag,
} as const

/** Whether an operation rejects changes of a record that has changed since the caller read it. */
export const takesCondition = ({ headers }: { readonly headers?: z.ZodObject }): boolean =>
	headers !== undefined && IF_MATCH in headers.shape
