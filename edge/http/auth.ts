import type { Auth, Operation } from '#schema/contract/operation.ts'
import type { ApiScope } from '#schema/contract/roles.ts'
import type { Deps } from '../platform/deps.ts'
import { equalText } from '../platform/digest.ts'
import type { Caller, Doors, KeyHolder, Person } from './caller.ts'
import { AppError } from './errors.ts'
import { mustVerifyAddress, unverifiedAddressError } from './verified-address.ts'

const unauthorized = (message = 'sign in, or send an API key') => new AppError('unauthorized', message)
const forbidden = (message: string) => new AppError('forbidden', message)

type Credential = { kind: 'bearer' | 'key'; value: string }

export const isApiKey = (text: string): boolean => text.startsWith('phk_')

/** What the request shows. An API key may come as X-Api-Key or as bearer; two different ones are a mistake (400). */
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

/** The caller of an operation, or a refusal. Order: 401, then 404 for what is not theirs to see, then 403. */
export async function authenticate(
	auth: Auth,
	deps: Deps,
	doors: Doors,
	request: Request,
	orgIdInPath: string | undefined,
): Promise<Caller | undefined> {
	// For a renewal the operation itself looks at the token: the end of its day does not count there.
	if (auth === 'public' || auth === 'renewal') return undefined
	const credential = credentialOf(request.headers)
	if (auth === 'member') {
		// An API key stands for an organization, and no organization is a member.
		if (credential?.kind === 'key') throw unauthorized('this takes a member token or a session')
		return doors.member(deps, credential?.value ?? null, request)
	}
	if (!credential) {
		if (auth === 'viewer') return undefined
		throw unauthorized()
	}
	const { kind, value } = credential
	if (auth === 'viewer') {
		// A credential that has ended makes nobody less than anyone.
		const viewer = kind === 'key' ? await doors.key(deps, value) : await doors.person(deps, value, undefined)
		const isHeldBack = viewer?.kind === 'person' && mustVerifyAddress(deps.env, viewer)
		return isHeldBack ? undefined : (viewer ?? undefined)
	}

	if (auth === 'registration') {
		const expected = deps.env.vars.FLEET_TOKEN
		if (!expected)
			throw new AppError('not_configured', 'this installation takes no machines: FLEET_TOKEN is not set')
		if (kind !== 'bearer' || !(await equalText(value, expected)))
			throw unauthorized('the registration token is wrong')
		return undefined
	}
	if (auth === 'machine') {
		const machine = kind === 'bearer' ? await doors.machine(deps, value) : null
		if (!machine) throw unauthorized('register this machine again')
		return machine
	}
	if (auth === 'upload') {
		if (!deps.tokens)
			throw new AppError('not_configured', 'upload tokens are not set up: AUTH_SECRET is missing')
		const uploader = kind === 'bearer' ? await doors.upload(deps, value) : null
		if (!uploader) throw unauthorized('show the token of upload-token')
		refuseSuspended(uploader.org?.suspended ?? false)
		return uploader
	}
	if (kind === 'key') {
		const holder = await doors.key(deps, value)
		if (!holder) throw unauthorized('the API key is unknown or has ended')
		return admitKey(auth, holder, orgIdInPath)
	}
	if (auth === 'headless-auth') throw unauthorized('this takes an API key')
	const person = await doors.person(deps, value, orgIdInPath)
	if (!person) throw unauthorized('the session has ended; sign in again')
	if (auth === 'unverified-session') return person
	if (mustVerifyAddress(deps.env, person)) throw unverifiedAddressError()
	return admitPerson(auth, person, orgIdInPath)
}

function admitKey(auth: Auth, holder: KeyHolder, orgIdInPath: string | undefined): KeyHolder {
	if (['session', 'unverified-session', 'superadmin', 'org-admin-person'].includes(auth))
		throw unauthorized('this takes the session of a person; API keys do not open it')
	if (orgIdInPath !== undefined && orgIdInPath !== holder.org.id)
		throw new AppError('not_found', 'no such organization')
	refuseSuspended(holder.org.suspended)
	if (auth === 'headless-auth' && !holder.scopes.includes('headless:auth'))
		throw forbidden('the API key lacks the scope headless:auth')
	if (auth !== 'headless-auth' && !scopesAllow(holder.scopes, auth))
		throw forbidden(`the API key lacks the scope ${auth}`)
	return holder
}

/** 403 for a value that takes a person, sent with an API key. */
export function refuseBeyondKey(op: Operation, caller: Caller | undefined, body: unknown): void {
	if (caller?.kind !== 'key') return
	for (const [field, values] of Object.entries(op.keysMaySend ?? {})) {
		const sent = (body as Record<string, unknown> | undefined)?.[field]
		if (sent !== undefined && !values.includes(sent as string))
			throw forbidden(
				`${field}: an API key may send only ${values.join(', ')}; this takes a person in a session`,
			)
	}
}

function admitPerson(auth: Auth, person: Person, orgIdInPath: string | undefined): Person {
	if (auth === 'superadmin') {
		if (!person.isSuperadmin) throw forbidden('this takes a superadmin')
		return person
	}
	if (orgIdInPath !== undefined && person.role === null)
		throw new AppError('not_found', 'no such organization')
	if (auth === 'session') return person
	if (person.org === null || person.role === null)
		throw forbidden('you are not a member of the organization of this token; use /v1/auth/switch-org')
	refuseSuspended(person.org.suspended)
	if ((auth === 'admin' || auth === 'org-admin-person') && person.role === 'member')
		throw forbidden('this takes the role admin or owner')
	return person
}

function refuseSuspended(suspended: boolean): void {
	if (suspended) throw new AppError('org_suspended', 'this organization is suspended')
}

/** `admin` includes `write`, `write` includes `read`; `headless:auth` stands apart: it acts as people. */
function scopesAllow(scopes: readonly ApiScope[], auth: Auth): boolean {
	if (scopes.includes('admin')) return true
	if (auth === 'write') return scopes.includes('write')
	return auth === 'read' && (scopes.includes('read') || scopes.includes('write'))
}
