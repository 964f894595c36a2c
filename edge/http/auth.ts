import type { Auth, Operation } from '#schema/contract/kit/operation.ts'
import type { ApiScope } from '#schema/contract/platform/roles.ts'
import type { Deps } from '../platform/deps.ts'
import { equalText } from '../platform/tokens/digest.ts'
import type { Authenticators, Caller, KeyHolder, Person } from './caller.ts'
import { AppError } from './errors.ts'
import { mustVerifyAddress, unverifiedAddressError } from './verified-address.ts'

const unauthorizedError = (message = 'sign in, or send an API key') => new AppError('unauthorized', message)
const forbiddenError = (message: string) => new AppError('forbidden', message)

type Credential = { kind: 'bearer' | 'key'; value: string }

export const isApiKey = (text: string): boolean => text.startsWith('phk_')

/** Returns the credential of a request. An API key may come as X-Api-Key or bearer; two different ones get a 400. */
export function credentialOf(headers: Headers): Credential | null {
	const authorization = headers.get('authorization')
	const apiKey = headers.get('x-api-key')
	const bearer = authorization === null ? null : /^Bearer +([^\s]+)$/i.exec(authorization)?.[1]
	if (apiKey !== null && authorization !== null && apiKey !== bearer)
		throw new AppError(
			'bad_credentials_mix',
			'Authorization and X-Api-Key name different credentials; send one',
		)
	if (apiKey !== null) return { kind: 'key', value: apiKey }
	if (!bearer) return null
	return { kind: isApiKey(bearer) ? 'key' : 'bearer', value: bearer }
}

/** Returns the caller of an operation or throws: first 401, then 404 for resources the caller may not see, then 403. */
export async function authenticate(
	auth: Auth,
	deps: Deps,
	authenticators: Authenticators,
	request: Request,
	orgIdInPath: string | undefined,
): Promise<Caller | undefined> {
	// A renewal checks the token itself, because there an expired token is still accepted.
	if (auth === 'public' || auth === 'renewal') return undefined
	const credential = credentialOf(request.headers)
	if (auth === 'member') {
		// An API key represents an organization, which can't be a member.
		if (credential?.kind === 'key') throw unauthorizedError('this takes a member token or a session')
		return authenticators.member(deps, credential?.value ?? null, request)
	}
	if (!credential) {
		if (auth === 'viewer') return undefined
		throw unauthorizedError()
	}
	const { kind, value } = credential
	if (auth === 'viewer') {
		// An expired credential must not get less than no credential.
		const viewer =
			kind === 'key'
				? await authenticators.key(deps, value)
				: await authenticators.person(deps, value, undefined)
		const isHeldBack = viewer?.kind === 'person' && mustVerifyAddress(deps.env, viewer)
		return isHeldBack ? undefined : (viewer ?? undefined)
	}

	if (auth === 'registration') {
		const expected = deps.env.vars.FLEET_TOKEN
		if (!expected)
			throw new AppError('not_configured', 'registration of machines is not set up: FLEET_TOKEN is missing')
		if (kind !== 'bearer' || !(await equalText(value, expected)))
			throw unauthorizedError('the registration token is wrong')
		return undefined
	}
	if (auth === 'machine') {
		const machine = kind === 'bearer' ? await authenticators.machine(deps, value) : null
		if (!machine) throw unauthorizedError('register this machine again')
		return machine
	}
	if (auth === 'upload') {
		if (!deps.tokens)
			throw new AppError('not_configured', 'upload tokens are not set up: AUTH_SECRET is missing')
		const uploader = kind === 'bearer' ? await authenticators.upload(deps, value) : null
		if (!uploader) throw unauthorizedError('send the token of upload-token as a bearer credential')
		refuseSuspended(uploader.org?.suspended ?? false)
		return uploader
	}
	if (kind === 'key') {
		const holder = await authenticators.key(deps, value)
		if (!holder) throw unauthorizedError('the API key is unknown, revoked or expired')
		return admitKey(auth, holder, orgIdInPath)
	}
	if (auth === 'headless-auth') throw unauthorizedError('this operation needs an API key')
	const person = await authenticators.person(deps, value, orgIdInPath)
	if (!person) throw unauthorizedError('the session has ended; sign in again')
	if (auth === 'unverified-session') return person
	if (mustVerifyAddress(deps.env, person)) throw unverifiedAddressError()
	return admitPerson(auth, person, orgIdInPath)
}

function admitKey(auth: Auth, holder: KeyHolder, orgIdInPath: string | undefined): KeyHolder {
	if (['session', 'unverified-session', 'superadmin', 'org-admin-person'].includes(auth))
		throw unauthorizedError('this operation needs a user session; API keys are not accepted')
	if (orgIdInPath !== undefined && orgIdInPath !== holder.org.id)
		throw new AppError('not_found', 'no such organization')
	refuseSuspended(holder.org.suspended)
	if (auth === 'headless-auth' && !holder.scopes.includes('headless:auth'))
		throw forbiddenError('the API key lacks the scope headless:auth')
	if (auth !== 'headless-auth' && !scopesAllow(holder.scopes, auth))
		throw forbiddenError(`the API key lacks the scope ${auth}`)
	return holder
}

/** Throws 403 if an API key sends a value that only a person may send. */
export function refuseBeyondKey(op: Operation, caller: Caller | undefined, body: unknown): void {
	if (caller?.kind !== 'key') return
	for (const [field, values] of Object.entries(op.keysMaySend ?? {})) {
		const sent = (body as Record<string, unknown> | undefined)?.[field]
		if (sent !== undefined && !values.includes(sent as string))
			throw forbiddenError(
				`${field}: an API key may send only ${values.join(', ')}; other values need a user session`,
			)
	}
}

function admitPerson(auth: Auth, person: Person, orgIdInPath: string | undefined): Person {
	if (auth === 'superadmin') {
		if (!person.isSuperadmin) throw forbiddenError('this operation is for superadmins only')
		return person
	}
	if (orgIdInPath !== undefined && person.role === null)
		throw new AppError('not_found', 'no such organization')
	if (auth === 'session') return person
	if (person.org === null || person.role === null)
		throw forbiddenError(
			'you are no longer a member of this token’s organization; switch with /v1/auth/switch-org',
		)
	refuseSuspended(person.org.suspended)
	if ((auth === 'admin' || auth === 'org-admin-person') && person.role === 'member')
		throw forbiddenError('this operation needs the role admin or owner')
	return person
}

function refuseSuspended(suspended: boolean): void {
	if (suspended) throw new AppError('org_suspended', 'this organization is suspended')
}

/** `admin` includes `write`, `write` includes `read`. `headless:auth` is separate, since it acts on behalf of people. */
function scopesAllow(scopes: readonly ApiScope[], auth: Auth): boolean {
	if (scopes.includes('admin')) return true
	if (auth === 'write') return scopes.includes('write')
	return auth === 'read' && (scopes.includes('read') || scopes.includes('write'))
}
