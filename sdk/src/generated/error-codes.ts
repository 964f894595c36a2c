// Generated from schema/contract by npm run sdk; don't edit.
/** The codes in `X-Error-Code`. A newer server may send others. */
export type ErrorCode =
	/** 400 */
	| 'validation'
	/** 400 */
	| 'malformed'
	/** 400 */
	| 'bad_credentials_mix'
	/** 400 */
	| 'authorization_pending'
	/** 400 */
	| 'slow_down'
	/** 400 */
	| 'access_denied'
	/** 400 */
	| 'expired_token'
	/** 400 */
	| 'invalid_grant'
	/** 400 */
	| 'invalid_scope'
	/** 400 */
	| 'unsupported_grant_type'
	/** 401 */
	| 'unauthorized'
	/** 401 */
	| 'no_account'
	/** 401 */
	| 'second_factor_required'
	/** 403 */
	| 'forbidden'
	/** 403 */
	| 'reauthentication_required'
	/** 403 */
	| 'second_factor_missing'
	/** 403 */
	| 'org_suspended'
	/** 403 */
	| 'plan_limit'
	/** 403 */
	| 'registration_closed'
	/** 403 */
	| 'email_unverified'
	/** 403 */
	| 'account_locked'
	/** 404 */
	| 'not_found'
	/** 405 */
	| 'method_not_allowed'
	/** 408 */
	| 'request_timeout'
	/** 409 */
	| 'conflict'
	/** 409 */
	| 'request_in_flight'
	/** 410 */
	| 'gone'
	/** 412 */
	| 'precondition_failed'
	/** 412 */
	| 'version_unsupported'
	/** 413 */
	| 'too_large'
	/** 415 */
	| 'unsupported_media_type'
	/** 422 */
	| 'idempotency_mismatch'
	/** 422 */
	| 'unprocessable'
	/** 423 */
	| 'locked'
	/** 429 */
	| 'too_many_requests'
	/** 460 */
	| 'checksum_mismatch'
	/** 500 */
	| 'internal'
	/** 501 */
	| 'not_configured'
	/** 501 */
	| 'format_unsupported'
	/** 503 */
	| 'unavailable'
	/** 507 */
	| 'insufficient_storage'
	| (string & {})
