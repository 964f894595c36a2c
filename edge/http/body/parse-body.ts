import type { z } from 'zod'
import { rejectsFields } from '#schema/contract/kit/bodies/open-bodies.ts'
import { describeUnknownNames } from '#schema/contract/kit/bodies/unknown-names.ts'
import type { Operation } from '#schema/contract/kit/operation.ts'
import { AppError } from '../errors.ts'
import { readMediaType } from '../headers.ts'
import { isFormBody, readForm } from './form-body.ts'
import { readJson } from './json-body.ts'
import { isLineBody, readLines } from './line-body.ts'
import { refuseInput } from './refuse-input.ts'
import { unwrapBody } from './unwrap-body.ts'

export async function parseBody(op: Operation, request: Request): Promise<unknown> {
	if (!op.body) return rejectsFields(op) ? refuseFields(request) : undefined
	const value = unwrapBody(op, await readBody(op, request))
	if (value === undefined && op.bodyOptional) return undefined
	const result = op.body.safeParse(value)
	if (result.success) return result.data
	if (isCircleBody(op, value)) return parseCircleBody(op.body, op.circleBody.schema, value)
	return value === undefined ? refuseMissing(op.body) : refuseInput(result.error)
}

const isCircleBody = (
	op: Operation,
	value: unknown,
): op is Operation & Required<Pick<Operation, 'circleBody'>> =>
	op.circleBody !== undefined &&
	typeof value === 'object' &&
	value !== null &&
	Object.hasOwn(value, op.circleBody.sign)

function parseCircleBody(body: z.ZodType, circleBody: z.ZodType, value: unknown): unknown {
	const read = circleBody.safeParse(value)
	if (!read.success) refuseInput(read.error)
	const result = body.safeParse(read.data)
	return result.success ? result.data : refuseInput(result.error)
}

/**
 * Rejects fields for an operation without a body, even if `fetch` sends the JSON as `text/plain`. Accepts an empty
 * object, as some clients send, and other content, such as an empty form.
 */
async function refuseFields(request: Request): Promise<void> {
	const type = readMediaType(request.headers)
	const value = await readJson(request, [type]).catch((error) => {
		if (type === 'application/json') throw error
	})
	const names = typeof value === 'object' && value !== null ? Object.keys(value) : []
	if (names.length > 0)
		throw new AppError(
			'validation',
			`${describeUnknownNames('field', names, [])}; this operation takes no body`,
			{ fieldNames: names },
		)
}

async function readBody(op: Operation, request: Request): Promise<unknown> {
	const { lineBody } = op
	if (lineBody && isLineBody(op, request))
		return { [lineBody.field]: await readLines(request, lineBody.maxBytes) }
	return isFormBody(op, request) ? readForm(request) : readJson(request, op.bodyTypes)
}

const MISSING_BODY = 'the body is missing; send JSON as content-type: application/json'

/** Names the required fields, if there are any. */
function refuseMissing(schema: z.ZodType): never {
	const { error } = schema.safeParse({})
	if (error) refuseInput(error, `${MISSING_BODY}; `)
	throw new AppError('validation', MISSING_BODY)
}
