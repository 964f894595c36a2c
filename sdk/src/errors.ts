import type { ErrorCode } from './generated/error-codes.ts'

type Details = {
	status?: number
	code?: ErrorCode | null
	requestId?: string | null
	fields?: readonly string[]
	retryAfterSec?: number | null
	cause?: unknown
}

/** The base class of all errors of calls. */
export class PlayhouseError extends Error {
	// Set explicitly, because minifiers rename classes.
	override readonly name: string = 'PlayhouseError'
	/** The HTTP status; undefined if no response arrived. */
	declare readonly status: number | undefined
	/** The code in `X-Error-Code`; null without that header, such as in a response of a proxy. */
	declare readonly code: ErrorCode | null
	/** The id of the request, by which operators find the request in their logs. */
	declare readonly requestId: string | null
	/** The fields, parameters or headers that are invalid, or that have changed since they were read (412). */
	declare readonly fields: readonly string[]
	/** Seconds to wait before a retry, from `Retry-After`. */
	declare readonly retryAfterSec: number | null

	constructor(message: string, details: Details = {}) {
		super(message, { cause: details.cause })
		Object.assign(this, { code: null, requestId: null, fields: [], retryAfterSec: null }, details)
	}
}

/** 400, 413, 415, 422 and others: the request is invalid. */
export class InvalidRequestError extends PlayhouseError {
	override readonly name = 'InvalidRequestError'
}
/** 401: the credential is missing, wrong, expired or revoked. */
export class AuthenticationError extends PlayhouseError {
	override readonly name = 'AuthenticationError'
}
/** 403: the caller may not do this. */
export class PermissionError extends PlayhouseError {
	override readonly name = 'PermissionError'
}
/** 404 and 410: the resource does not exist, or the caller may not see it. */
export class NotFoundError extends PlayhouseError {
	override readonly name = 'NotFoundError'
}
/** 409, 412 and 423: the current state does not allow this. */
export class ConflictError extends PlayhouseError {
	override readonly name = 'ConflictError'
}
/** 429: too many requests. */
export class RateLimitError extends PlayhouseError {
	override readonly name = 'RateLimitError'
}
/** 5xx: the server failed. */
export class ServerError extends PlayhouseError {
	override readonly name = 'ServerError'
}
/** No response arrived. The server may still have processed the request. */
export class ConnectionError extends PlayhouseError {
	override readonly name: string = 'ConnectionError'
}
/** No response arrived within the timeout. */
export class TimeoutError extends ConnectionError {
	override readonly name = 'TimeoutError'
}
/** The signal of the caller ended the call. */
export class CanceledError extends PlayhouseError {
	override readonly name = 'CanceledError'
}
/** The response is not from the API: an error page of a proxy, a truncated body or a redirect. */
export class UnexpectedResponseError extends PlayhouseError {
	override readonly name = 'UnexpectedResponseError'
}

/** The source of an upload can't be read, has changed, or has another size. A retry does not help. */
export class UnreadableSourceError extends PlayhouseError {
	override readonly name = 'UnreadableSourceError'
}

const classByStatus: Readonly<Record<number, typeof PlayhouseError>> = {
	401: AuthenticationError,
	403: PermissionError,
	404: NotFoundError,
	409: ConflictError,
	410: NotFoundError,
	412: ConflictError,
	423: ConflictError,
	429: RateLimitError,
}

/** Returns the error for a response with an error status. */
export function readError(route: string, { status, headers }: Response, text: string): PlayhouseError {
	const Class = classByStatus[status] ?? (status < 500 ? InvalidRequestError : ServerError)
	return new Class(`${route}: ${status} ${findMessage(text) ?? 'without a message'}`, {
		status,
		code: headers.get('x-error-code'),
		requestId: headers.get('x-request-id'),
		fields: headers.get('x-error-fields')?.split(', ') ?? [],
		retryAfterSec: readRetryAfter(headers.get('retry-after')),
	})
}

/** Reads `Retry-After`: seconds, or a date. */
export function readRetryAfter(value: string | null, now = Date.now()): number | null {
	const seconds = /^\d+$/.test(value ?? '') ? Number(value) : (Date.parse(value ?? '') - now) / 1000
	return Number.isNaN(seconds) ? null : Math.max(0, Math.ceil(seconds))
}

/** The message is in `error`; in `detail` for account deletion, and in `error_description` for OAuth. */
function findMessage(text: string): string | undefined {
	try {
		const { error_description, error, detail } = JSON.parse(text)
		return [error_description, error, detail].find((value) => typeof value === 'string')
	} catch {
		return undefined
	}
}
