import { isForOrgMembers, listRefusingSuspensions } from './acting-in-org.ts'
import { rejectsFields } from './bodies/open-bodies.ts'
import { takesCondition } from './headers/entity-tag.ts'
import { keepsResponses } from './idempotency-key.ts'
import type { Auth, Operation } from './operation.ts'
import { type ErrorCode, statusByCode } from './problem.ts'
import { findOpenQuery } from './queries/open-queries.ts'

const credentialErrors: readonly ErrorCode[] = ['unauthorized', 'bad_credentials_mix']
const userErrors: readonly ErrorCode[] = [
	...credentialErrors,
	'forbidden',
	'email_unverified',
	'too_many_requests',
]

/** The errors of authentication, which runs before the operation. */
const errorsByAuth: Record<Auth, readonly ErrorCode[]> = {
	public: [],
	// 403 during an impersonation that may not call the operation.
	viewer: ['bad_credentials_mix', 'forbidden', 'too_many_requests'],
	session: userErrors,
	'unverified-session': [...credentialErrors, 'forbidden', 'too_many_requests'],
	renewal: credentialErrors,
	superadmin: userErrors,
	upload: [...credentialErrors, 'not_configured'],
	read: userErrors,
	write: userErrors,
	admin: userErrors,
	'org-admin-person': userErrors,
	// 400 if the request names no community and there is no default; 404 if the community does not exist.
	member: [...userErrors, 'validation', 'not_found'],
	'headless-auth': userErrors,
	registration: [...credentialErrors, 'not_configured'],
	machine: credentialErrors,
	metrics: [...credentialErrors, 'not_found'],
}

const bodyErrors = ['malformed', 'too_large', 'unsupported_media_type', 'request_timeout'] as const

/**
 * Returns every error code that an operation may respond with: its own, and those that follow from its fields. The
 * OpenAPI document lists them, and tests check every response against them, so document and server can't disagree.
 */
export function listErrorCodes(op: Operation): ErrorCode[] {
	const codes = new Set<ErrorCode>([
		...errorsByAuth[op.auth],
		...(op.errors ?? []),
		'internal',
		'unavailable',
	])
	// A malformed id gets 404, like an unknown one.
	if (op.params) codes.add('not_found')
	if (listRefusingSuspensions(op) !== 'none') codes.add('org_suspended')
	if (isForOrgMembers(op) || op.auth === 'superadmin') codes.add('second_factor_missing')
	if (op.query || op.headers || findOpenQuery(op) === undefined) codes.add('validation')
	if (!['get', 'head', 'options', 'delete'].includes(op.method)) codes.add('insufficient_storage')
	if (op.body || rejectsFields(op)) for (const code of ['validation', ...bodyErrors] as const) codes.add(code)
	if (op.takesBytes) for (const code of bodyErrors) codes.add(code)
	if (takesCondition(op)) codes.add('precondition_failed')
	if (op.shield) codes.add('too_many_requests')
	if (op.recentProof) codes.add('reauthentication_required')
	if (keepsResponses(op))
		for (const code of ['validation', 'request_in_flight', 'idempotency_mismatch', 'not_configured'] as const)
			codes.add(code)
	return [...codes].sort((a, b) => statusByCode[a] - statusByCode[b] || a.localeCompare(b, 'en'))
}

/** The meaning of each code, for the OpenAPI document. */
export const errorMeanings: Record<ErrorCode, string> = {
	validation: 'a value is missing or invalid; the error names the fields',
	malformed:
		'the body is not valid JSON in UTF-8, repeats a key or has the key `__proto__`, is nested too deeply, is empty or incomplete, or `Content-Range` says that it is a part',
	bad_credentials_mix: '`Authorization` and `X-Api-Key` name different credentials',
	authorization_pending: 'nobody has approved the device yet; ask again after the interval',
	slow_down: 'the device asked too often; add 5 seconds to the interval',
	access_denied: 'the person refused, or may no longer create keys',
	expired_token: 'the codes of the device have expired; start again',
	invalid_grant: 'the device code is unknown or was used, or belongs to another client',
	invalid_scope: 'a scope is unknown',
	unsupported_grant_type: 'the grant type is not that of RFC 8628',
	no_account: 'the code is correct, but no account has this email address; sign up instead',
	unauthorized: 'the credential is missing, wrong, expired or revoked',
	forbidden: 'the caller may not do this',
	second_factor_required:
		'the first step of the sign-in succeeded; send the ticket from `X-Second-Factor-Ticket` with a second factor to POST /v1/auth/second-factor/verify',
	second_factor_missing:
		'the organization or the installation requires a second factor, and the account has none; set one up with POST /v1/auth/second-factor/totp or a passkey',
	reauthentication_required:
		'the user last proved their identity more than 10 minutes ago; call POST /v1/auth/reauthenticate',
	org_suspended: 'the organization is suspended',
	plan_limit: 'the limit of the tier is reached',
	registration_closed: 'this installation does not accept sign-ups from this email address',
	email_unverified: 'the email address of the account is not verified; call POST /v1/auth/email/verify/send',
	account_locked: 'the operators of this installation locked the account; ask them',
	not_found: 'the resource does not exist, or the caller may not see it',
	method_not_allowed: 'this path does not support the method',
	request_timeout: 'the body arrived too slowly',
	conflict: 'the current state does not allow this, or the name is taken',
	request_in_flight: 'a request with the same `Idempotency-Key` is still running',
	gone: 'the resource existed and was deleted for good',
	precondition_failed: 'the record has changed since you read it; `X-Error-Fields` lists the changed fields',
	version_unsupported: 'this protocol version is not supported; `Tus-Version` names the supported one',
	too_large: 'the body is too large',
	unsupported_media_type: 'the body has an unsupported type',
	idempotency_mismatch: 'the `Idempotency-Key` was used with another request before',
	unprocessable: 'the body has a supported type but is damaged or exceeds a limit',
	locked: 'another request took over this upload; get its offset and continue from there',
	checksum_mismatch: 'the body does not match its checksum and was discarded',
	too_many_requests: 'too many requests; wait the seconds in `Retry-After`',
	internal: 'something went wrong on the server',
	not_configured: 'this feature is not configured on this installation',
	format_unsupported: 'the resource is not available in the requested format',
	unavailable: 'a required service does not respond; try again later',
	insufficient_storage: 'the disk or the database of the installation is full; try again when there is space',
}
