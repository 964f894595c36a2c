import type { Operation } from '#schema/contract/kit/operation.ts'
import type { Deps } from '../platform/deps.ts'
import { isEqualText } from '../platform/tokens/digest.ts'
import type { Authenticators, Caller } from './caller.ts'
import { readCredential } from './credential.ts'
import { AppError } from './errors.ts'
import { requireOpenToImpersonation } from './guards/impersonation.ts'
import { lacksSecondFactor, requireSecondFactor } from './guards/second-factor.ts'
import { requireAllowedWhileSuspended } from './guards/suspension.ts'
import { type CheckedAuth, unauthorizedError } from './guards/unauthorized.ts'
import {
	type Attempt,
	admitOrgCaller,
	allowAnyone,
	allowKeysWithScope,
	forbiddenError,
	requireMemberOfOrgInPath,
	requireOrgAdmin,
	requireOrgMember,
	requireSuperadmin,
} from './org-callers.ts'
import { requireTokens } from './require-secrets.ts'
import { mustVerifyAddress } from './verified-address.ts'

type Admit = (attempt: Attempt) => Promise<Caller | undefined>

/** The admission rule of each kind of `auth`. */
const admitters: Record<CheckedAuth, Admit> = {
	member: admitMember,
	registration: admitRegistration,
	machine: admitMachine,
	metrics: admitMetricsReader,
	upload: admitUploader,
	'headless-auth': (attempt) => admitOrgCaller(attempt, { key: allowKeysWithScope(['headless:auth']) }),
	'unverified-session': (attempt) => admitOrgCaller(attempt, { person: allowAnyone, mayBeUnverified: true }),
	session: (attempt) => admitOrgCaller(attempt, { person: requireMemberOfOrgInPath }),
	superadmin: (attempt) => admitOrgCaller(attempt, { person: requireSuperadmin }),
	'org-admin-person': (attempt) => admitOrgCaller(attempt, { person: requireOrgAdmin }),
	read: (attempt) =>
		admitOrgCaller(attempt, {
			key: allowKeysWithScope(['read', 'write', 'admin'], attempt.keyScope),
			person: requireOrgMember,
		}),
	write: (attempt) =>
		admitOrgCaller(attempt, { key: allowKeysWithScope(['write', 'admin']), person: requireOrgMember }),
	admin: (attempt) =>
		admitOrgCaller(attempt, {
			key: allowKeysWithScope(['admin'], attempt.keyScope),
			person: requireOrgAdmin,
		}),
}

/** Returns the caller of an operation or throws: first 401, then 404 for resources the caller may not see, then 403. */
export async function authenticate(
	op: Operation,
	deps: Deps,
	authenticators: Authenticators,
	request: Request,
	orgIdInPath: string | undefined,
): Promise<Caller | undefined> {
	// A renewal checks the token itself, because it accepts an expired one.
	const { auth } = op
	if (auth === 'public' || auth === 'renewal') return undefined
	const { cookie } = deps
	const credential = cookie
		? { kind: 'bearer' as const, value: cookie.token }
		: readCredential(request.headers)
	const attempt = { deps, authenticators, request, credential, orgIdInPath, keyScope: op.keyScope }
	const caller = auth === 'viewer' ? await admitViewer(attempt) : await admitters[auth]({ ...attempt, auth })
	requireOpenToImpersonation(op, caller)
	requireAllowedWhileSuspended(op, caller)
	requireSecondFactor(op, caller, deps.env)
	return caller
}

async function admitViewer({
	deps,
	authenticators,
	credential,
}: Omit<Attempt, 'auth'>): Promise<Caller | undefined> {
	if (!credential) return undefined
	const { kind, value } = credential
	// An expired credential must not get less than no credential.
	const viewer =
		kind === 'key'
			? await authenticators.key(deps, value)
			: await authenticators.person(deps, value, undefined)
	const isBlocked =
		viewer?.kind === 'person' && (mustVerifyAddress(deps.env, viewer) || lacksSecondFactor(viewer))
	return isBlocked ? undefined : (viewer ?? undefined)
}

async function admitMember({ auth, deps, authenticators, request, credential }: Attempt): Promise<Caller> {
	// An API key represents an organization, which can't be a member.
	if (credential?.kind === 'key') throw unauthorizedError(auth, 'refused key')
	return authenticators.member(deps, credential?.value ?? null, request)
}

async function admitRegistration({ auth, deps, credential }: Attempt): Promise<undefined> {
	if (!credential) throw unauthorizedError(auth, 'missing')
	const expected = deps.env.vars.FLEET_TOKEN
	if (!expected)
		throw new AppError('not_configured', 'registration of machines is not set up: FLEET_TOKEN is missing')
	if (credential.kind !== 'bearer' || !(await isEqualText(credential.value, expected)))
		throw unauthorizedError(auth, 'token')
}

async function admitMetricsReader({ auth, deps, credential }: Attempt): Promise<undefined> {
	const expected = deps.env.vars.METRICS_TOKEN
	if (!expected) throw new AppError('not_found', 'not found')
	const isRight = credential?.kind === 'bearer' && (await isEqualText(credential.value, expected))
	if (!isRight)
		throw unauthorizedError(auth, credential ? 'token' : 'missing', { 'www-authenticate': 'Bearer' })
}

async function admitMachine({ auth, deps, authenticators, credential }: Attempt): Promise<Caller> {
	if (!credential) throw unauthorizedError(auth, 'missing')
	const machine = credential.kind === 'bearer' ? await authenticators.machine(deps, credential.value) : null
	if (!machine) throw unauthorizedError(auth, 'token')
	return machine
}

async function admitUploader({ auth, deps, authenticators, credential }: Attempt): Promise<Caller> {
	if (!credential) throw unauthorizedError(auth, 'missing')
	requireTokens(deps, 'upload tokens')
	const uploader = credential.kind === 'bearer' ? await authenticators.upload(deps, credential.value) : null
	if (!uploader) throw unauthorizedError(auth, 'token')
	return uploader
}

/** Throws 403 if an API key sends a value reserved for people. */
export function requireValuesAllowedToKeys(op: Operation, caller: Caller | undefined, body: unknown): void {
	if (caller?.kind !== 'key') return
	for (const [field, values] of Object.entries(op.keysMaySend ?? {})) {
		const sent = (body as Record<string, unknown> | undefined)?.[field]
		if (sent !== undefined && !values.includes(sent as string))
			throw forbiddenError(
				`${field}: an API key may send only ${values.join(', ')}; other values need a user session`,
			)
	}
}
