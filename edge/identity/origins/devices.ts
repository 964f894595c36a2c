import { DAY } from '../../platform/clock.ts'
import { randomBase62 } from '../../platform/database/ids.ts'
import type { Deps } from '../../platform/deps.ts'
import { deviceToken } from '../../platform/tokens/tokens.ts'
import { signingOf } from '../signing.ts'
import { identityStore, type UserRow } from '../store.ts'
import type { Origin } from './origin.ts'

/** A device without a sign-in for this long counts as unknown again. */
const KNOWN_MS = 180 * DAY

export type KnownDevice = { id: string; user: UserRow }

/**
 * Browsers keep one for each account; its name does not disclose the address. The first is what it is called now,
 * another one what it was called before AUTH_SECRET was replaced.
 */
async function cookieNames(deps: Deps, email: string): Promise<string[]> {
	const marks = await signingOf(deps).secrets.hmacs('attempt-subject', `device cookie ${email}`)
	return marks.map((mark) => `__Host-device-${mark.slice(0, 8)}`)
}

function cookieIn(headers: Headers, names: readonly string[]): string | undefined {
	const pairs = (headers.get('cookie') ?? '').split('; ')
	const found = names.flatMap((name) => pairs.filter((pair) => pair.startsWith(`${name}=`)))
	return found[0]?.slice(found[0].indexOf('=') + 1)
}

/**
 * The device, if somebody signed in to this account from it before. It opens nothing: it only keeps the tries of its
 * owner apart from those of strangers. A change of password makes every device unknown again.
 */
export async function findKnownDevice(
	deps: Deps,
	email: string,
	{ request }: Origin,
): Promise<KnownDevice | null> {
	const shown =
		request.headers.get('x-device-token') ?? cookieIn(request.headers, await cookieNames(deps, email))
	const claims = shown ? await signingOf(deps).tokens.read(deviceToken, shown, deps.now) : null
	if (!claims) return null
	const user = await identityStore(deps.db).findUserByEmail(email)
	return user && user.id === claims.sub && user.tokenVersion === claims.tv ? { id: claims.did, user } : null
}

/** Marks the device as known after sign-in, with a header for programs and a cookie for browsers. */
export async function rememberDevice(
	deps: Deps,
	user: Pick<UserRow, 'id' | 'email' | 'tokenVersion'>,
	{ headers }: Origin,
): Promise<void> {
	const claims = { typ: 'device', sub: String(user.id), tv: user.tokenVersion, did: randomBase62(22) }
	const token = await signingOf(deps).tokens.sign(deviceToken, claims, deps.now, deps.now + KNOWN_MS)
	const [name] = await cookieNames(deps, user.email)
	headers.set('x-device-token', token)
	headers.append(
		'set-cookie',
		`${name}=${token}; Path=/; Max-Age=${KNOWN_MS / 1000}; Secure; HttpOnly; SameSite=Strict`,
	)
}
