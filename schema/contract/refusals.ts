import type { Auth, Operation } from './operation.ts'
import { type ErrorCode, statusOf } from './problem.ts'

const anyCredential: readonly ErrorCode[] = ['unauthorized', 'bad_credentials_mix']
const inPerson: readonly ErrorCode[] = [
	...anyCredential,
	'forbidden',
	'email_unverified',
	'too_many_requests',
]
const inOrg: readonly ErrorCode[] = [...inPerson, 'org_suspended']

/** What may be said at the door already, before the operation itself looks at anything. */
const atTheDoor: Record<Auth, readonly ErrorCode[]> = {
	public: [],
	viewer: ['bad_credentials_mix', 'too_many_requests'],
	session: inPerson,
	'unverified-session': [...anyCredential, 'too_many_requests'],
	renewal: anyCredential,
	superadmin: inPerson,
	upload: [...anyCredential, 'org_suspended', 'not_configured'],
	read: inOrg,
	write: inOrg,
	admin: inOrg,
	'org-admin-person': inOrg,
	// No community that is named, or that could be meant: 400; one that does not exist: 404.
	member: [...inOrg, 'validation', 'not_found'],
	'headless-auth': inOrg,
	registration: [...anyCredential, 'not_configured'],
	machine: anyCredential,
}

const ofBody = ['malformed', 'too_large', 'unsupported_media_type', 'request_timeout'] as const

/**
 * Every code an operation may answer: its own, and those that follow from what it is. The OpenAPI document prints
 * them, and tests hold every answer against them, so neither can promise more or less than the other.
 */
export function refusalsOf(op: Operation): ErrorCode[] {
	const codes = new Set<ErrorCode>([...atTheDoor[op.auth], ...(op.errors ?? []), 'internal', 'unavailable'])
	// An id that is not even formed like one is 404.
	if (op.params) codes.add('not_found')
	if (op.query || op.headers) codes.add('validation')
	if (op.body) for (const code of ['validation', ...ofBody] as const) codes.add(code)
	if (op.takesBytes) for (const code of ofBody) codes.add(code)
	if (op.shield) codes.add('too_many_requests')
	if (op.recentProof) codes.add('reauthentication_required')
	if (op.idempotent)
		for (const code of ['validation', 'request_in_flight', 'idempotency_mismatch', 'not_configured'] as const)
			codes.add(code)
	return [...codes].sort((a, b) => statusOf[a] - statusOf[b] || a.localeCompare(b, 'en'))
}

/** What each code means, for the document. */
export const meaningOf: Record<ErrorCode, string> = {
	validation: 'a value is missing or not as described; the error names the fields',
	malformed:
		'the body is not valid JSON in UTF-8, names a key twice, is nested too deep, is empty, or broke off',
	bad_credentials_mix: '`Authorization` and `X-Api-Key` name different credentials',
	no_account: 'the code is right, and there is no account with this address yet',
	unauthorized: 'no credential, or one that is unknown, wrong or has ended',
	forbidden: 'the caller may not do this',
	reauthentication_required:
		'The last proof of who is calling is older than 10 minutes; see POST /v1/auth/reauthenticate.',
	org_suspended: 'the organization is suspended',
	plan_limit: 'the limit of the tier is reached',
	registration_closed: 'this installation does not let this address sign up',
	email_unverified: 'The e-mail address of the account is not verified; see POST /v1/auth/email/verify/send.',
	not_found: 'it does not exist, or the caller may not see it',
	method_not_allowed: 'this address does not take that method',
	request_timeout: 'the body came too slowly',
	conflict: 'it does not fit the present state, or the name is taken',
	request_in_flight: 'a request with the same `Idempotency-Key` is still at work',
	gone: 'it existed and was taken away for good',
	version_unsupported: 'the protocol has another version; `Tus-Version` says which is spoken',
	too_large: 'the body is too large',
	unsupported_media_type: 'the body is not of the type that is taken here',
	idempotency_mismatch: 'the `Idempotency-Key` came with another request before',
	locked: 'another request took this over; ask how far it has come and go on from there',
	checksum_mismatch: 'the body is not what its checksum says; nothing of it was kept',
	too_many_requests: 'too many requests; `Retry-After` says when to go on',
	internal: 'something went wrong on our side',
	not_configured: 'this installation has not set the feature up',
	unavailable: 'something this needs does not answer at the moment',
}
