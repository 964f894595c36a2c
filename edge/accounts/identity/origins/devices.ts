import { readCookie } from '../../../http/headers.ts'
import { DAY } from '../../../platform/clock.ts'
import { randomBase62 } from '../../../platform/database/ids.ts'
import type { Deps } from '../../../platform/deps.ts'
import { deviceToken } from '../../../platform/tokens/tokens.ts'
import { requireSigning } from '../signing.ts'
import { identityStore, type UserRow } from '../store.ts'
import type { Origin } from './origin.ts'

/** A device without a sign-in for this long counts as unknown again. */
const KNOWN_MS = 180 * DAY

export type KnownDevice = { id: string; user: UserRow }

/**
 * Returns the names that the device cookie of an account can have: the current one first, then those derived from
 * a replaced AUTH_SECRET. Browsers keep one cookie per account, so the name is a hash that hides the address.
 */
async function cookieNames(deps: Deps, email: string): Promise<string[]> {
	const hashes = await requireSigning(deps).secrets.hmacs('attempt-subject', `device cookie ${email}`)
	return hashes.map((hash) => `__Host-device-${hash.slice(0, 8)}`)
}

function findDeviceCookie(headers: Headers, names: readonly string[]): string | undefined {
	const values = names.map((name) => readCookie(headers, name))
	return values.find((value) => value !== undefined)
}

/**
 * Returns the device if it has signed in to this account before. A known device grants no access; its attempts are
 * only counted separately. A password change makes every device unknown.
 */
export async function findKnownDevice(
	deps: Deps,
	email: string,
	{ request }: Origin,
): Promise<KnownDevice | null> {
	const shown =
		request.headers.get('x-device-token') ?? findDeviceCookie(request.headers, await cookieNames(deps, email))
	const claims = shown ? await requireSigning(deps).tokens.read(deviceToken, shown, deps.now) : null
	if (!claims) return null
	const user = await identityStore(deps.db).findUserByEmail(email)
	return user && user.id === claims.sub && user.tokenVersion === claims.tv ? { id: claims.did, user } : null
}

/** Marks the device as known after a sign-in: sets a header for programs and a cookie for browsers. */
export async function rememberDevice(
	deps: Deps,
	user: Pick<UserRow, 'id' | 'email' | 'tokenVersion'>,
	{ headers }: Origin,
): Promise<void> {
	const claims = { typ: 'device', sub: String(user.id), tv: user.tokenVersion, did: randomBase62(22) }
	const token = await requireSigning(deps).tokens.sign(deviceToken, claims, deps.now, deps.now + KNOWN_MS)
	const [name] = await cookieNames(deps, user.email)
	headers.set('x-device-token', token)
	headers.append(
		'set-cookie',
		`${name}=${token}; Path=/; Max-Age=${KNOWN_MS / 1000}; Secure; HttpOnly; SameSite=Strict`,
	)
}
