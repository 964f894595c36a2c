import type { ApiScope } from '#schema/contract/accounts/roles.ts'
import type { Operation } from '#schema/contract/kit/operation.ts'
import type { Deps } from '../platform/deps.ts'
import type { Authenticators, Caller, KeyHolder, OrgCaller, Person } from './caller.ts'
import type { Credential } from './credential.ts'
import { AppError, notFoundError } from './errors.ts'
import { type CheckedAuth, unauthorizedError } from './guards/unauthorized.ts'
import { mustVerifyAddress, unverifiedAddressError } from './verified-address.ts'

export const forbiddenError = (message: string) => new AppError('forbidden', message)

export type Attempt = {
	auth: CheckedAuth
	deps: Deps
	authenticators: Authenticators
	request: Request
	credential: Credential | null
	orgIdInPath: string | undefined
	keyScope?: Operation['keyScope'] | undefined
}

/** Throws unless the key may call the operation. */
type KeyRule = (holder: KeyHolder) => void
/** Throws unless the person may call the operation. */
type PersonRule = (person: Person, orgIdInPath: string | undefined) => void

/** Admits an API key, a person or both; a kind without a rule gets 401. */
export async function admitOrgCaller(
	{ auth, deps, authenticators, credential, orgIdInPath }: Attempt,
	rules: { key?: KeyRule; person?: PersonRule; mayBeUnverified?: true },
): Promise<Caller> {
	if (!credential) throw unauthorizedError(auth, 'missing')
	if (credential.kind === 'key') {
		const holder = await authenticators.key(deps, credential.value)
		if (!holder) throw unauthorizedError(auth, 'key')
		if (!rules.key) throw unauthorizedError(auth, 'refused key')
		requireOrgInPath(orgIdInPath === undefined || orgIdInPath === holder.org.id)
		rules.key(holder)
		return holder
	}
	if (!rules.person) throw unauthorizedError(auth, 'refused token')
	const person = await authenticators.person(deps, credential.value, orgIdInPath)
	if (!person) throw unauthorizedError(auth, 'token')
	if (!rules.mayBeUnverified && mustVerifyAddress(deps.env, person)) throw unverifiedAddressError()
	rules.person(person, orgIdInPath)
	return person
}

/** Admits keys with one of these scopes. The first one is named in the error, and `other`, if there is one. */
export function allowKeysWithScope(scopes: readonly ApiScope[], other?: Operation['keyScope']): KeyRule {
	if (other === 'any') return allowAnyone
	return (holder) => {
		if (![...scopes, other].some((scope) => scope && holder.scopes.includes(scope)))
			throw forbiddenError(`the API key lacks the scope ${scopes[0]}${other ? ` or ${other}` : ''}`)
	}
}

export function allowAnyone(): void {}

export function requireSuperadmin({ isSuperadmin }: Person): void {
	if (!isSuperadmin) throw forbiddenError('this operation is for superadmins only')
}

export function requireMemberOfOrgInPath({ role }: Person, orgIdInPath: string | undefined): void {
	requireOrgInPath(orgIdInPath === undefined || role !== null)
}

export function requireOrgMember(person: Person, orgIdInPath: string | undefined): void {
	requireMemberOfOrgInPath(person, orgIdInPath)
	if (person.org === null || person.role === null)
		throw forbiddenError(
			"you are no longer a member of this token's organization; switch with /v1/auth/switch-org",
		)
}

export function requireOrgAdmin(person: Person, orgIdInPath: string | undefined): void {
	requireOrgMember(person, orgIdInPath)
	if (person.role === 'member') throw forbiddenError('this operation needs the role admin or owner')
}

/** Whether a caller of a `read` or `write` operation could also call `admin` operations. */
export const isOrgAdmin = (caller: OrgCaller): boolean =>
	caller.kind === 'key' ? caller.scopes.includes('admin') : caller.role !== 'member'

/** Another organization looks like a missing one. */
function requireOrgInPath(isOwn: boolean): void {
	if (!isOwn) throw notFoundError('organization')
}
