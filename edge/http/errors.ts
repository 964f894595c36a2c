import { type ErrorCode, statusByCode } from '#schema/contract/kit/problem.ts'
import { chooseWireFamily, type WireFamily } from '#schema/contract/kit/wire-family.ts'
import { formatErrorFields, parseErrorFields } from './body/error-fields.ts'

/** The only error type that callers see. Verbs throw it; the functions below render it for the wire family. */
export class AppError extends Error {
	override name = 'AppError'
	readonly code: ErrorCode
	readonly headers: Record<string, string>
	/** Messages by field, for wire families with field errors. */
	readonly fields: Record<string, string[]> | undefined
	/** The names for `X-Error-Fields`, for codes that name fields. */
	readonly fieldNames: readonly string[]

	constructor(
		code: ErrorCode,
		message: string,
		more: {
			headers?: Record<string, string>
			fields?: Record<string, string[]>
			/** Without them, the names at the start of the message. */
			fieldNames?: readonly string[]
			cause?: unknown
		} = {},
	) {
		super(message, { cause: more.cause })
		this.code = code
		this.headers = more.headers ?? {}
		this.fields = more.fields
		this.fieldNames = more.fieldNames ?? parseErrorFields(message)
	}
}

export const diskFullError = () =>
	new AppError(
		'insufficient_storage',
		'the disk of this installation is full; delete something, or contact its operator',
	)

export const notFoundError = (what: string) => new AppError('not_found', `no such ${what}`)

export const tooManyRequestsError = (
	seconds: number,
	message = 'too many requests; try again later',
	headers: Record<string, string> = {},
) =>
	new AppError('too_many_requests', message, {
		headers: { ...headers, 'retry-after': String(Math.max(1, Math.ceil(seconds))) },
	})

/** RFC 6749 has a single error code for all body errors. */
const oauthNameOf = (code: ErrorCode): string => (isBodyError(code) ? 'invalid_request' : code)
const isBodyError = (code: ErrorCode): boolean =>
	['validation', 'malformed', 'too_large', 'unsupported_media_type', 'request_timeout'].includes(code)

const bodyOf: Record<WireFamily, (error: AppError) => unknown> = {
	video: (error) => ({ error: error.message }),
	headless: (error) => ({ error: error.message }),
	oauth: ({ code, message }) => ({ error: oauthNameOf(code), error_description: message }),
	account: ({ fields, message }) => {
		if (!fields) return { detail: message }
		const { '': whole, ...named } = fields
		return whole ? { ...named, non_field_errors: whole } : named
	},
}

const namesFields: readonly ErrorCode[] = ['validation', 'precondition_failed']

export function errorResponse(error: AppError, path: string): Response {
	const family = chooseWireFamily(path)
	const status = statusByCode[error.code]
	const errorFields = namesFields.includes(error.code) ? formatErrorFields(error.fieldNames) : undefined
	return Response.json(bodyOf[family](error), {
		status,
		headers: {
			'x-error-code': error.code,
			...(errorFields !== undefined && { 'x-error-fields': errorFields }),
			'cache-control': 'no-store',
			...(status === 401 && family === 'headless' && { 'www-authenticate': 'Bearer' }),
			...error.headers,
		},
	})
}
