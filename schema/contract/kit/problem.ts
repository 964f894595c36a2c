import { z } from 'zod'

/**
 * Every error code with its HTTP status. The header `X-Error-Code` carries the code; the body depends on the wire
 * family (see edge/http/errors.ts).
 */
export const statusByCode = {
	validation: 400,
	malformed: 400,
	bad_credentials_mix: 400,
	authorization_pending: 400,
	slow_down: 400,
	access_denied: 400,
	expired_token: 400,
	invalid_grant: 400,
	invalid_scope: 400,
	unsupported_grant_type: 400,
	unauthorized: 401,
	no_account: 401,
	second_factor_required: 401,
	forbidden: 403,
	reauthentication_required: 403,
	second_factor_missing: 403,
	org_suspended: 403,
	plan_limit: 403,
	registration_closed: 403,
	email_unverified: 403,
	account_locked: 403,
	not_found: 404,
	method_not_allowed: 405,
	request_timeout: 408,
	conflict: 409,
	request_in_flight: 409,
	gone: 410,
	precondition_failed: 412,
	version_unsupported: 412,
	too_large: 413,
	unsupported_media_type: 415,
	idempotency_mismatch: 422,
	unprocessable: 422,
	locked: 423,
	too_many_requests: 429,
	checksum_mismatch: 460,
	internal: 500,
	not_configured: 501,
	format_unsupported: 501,
	unavailable: 503,
	insufficient_storage: 507,
} as const

export type ErrorCode = keyof typeof statusByCode
export const ErrorCode = z.enum(Object.keys(statusByCode) as [ErrorCode, ...ErrorCode[]])
