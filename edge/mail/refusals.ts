import { AppError } from '../http/errors.ts'
import { requireSecrets } from '../http/require-secrets.ts'
import { lastingHmac } from '../platform/data-keys.ts'
import type { Deps } from '../platform/deps.ts'
import { equalText } from '../platform/digest.ts'
import { apiLink } from './link.ts'
import { refusalStore } from './refusal-store.ts'

/** What the links below an invitation say: who got it, from which organization, and which one. */
type Received = { addressHash: string; orgId: string | null; invitation: string | number }

const lasting = (deps: Deps, name: 'mail-address' | 'mail-refusal', text: string): Promise<string> =>
	lastingHmac({ db: deps.db, secrets: requireSecrets(deps, 'mails are'), now: deps.now }, name, text)

/** Addresses are stored in lower case; so they are compared here. */
const hashOf = (deps: Deps, email: string): Promise<string> =>
	lasting(deps, 'mail-address', email.toLowerCase())

/** Signed and whole: it works without a session, and after the invitation is gone. */
export async function unsubscribeUrlFor(
	deps: Deps,
	email: string,
	{ orgId, invitation }: Omit<Received, 'addressHash'>,
): Promise<string> {
	const said = [await hashOf(deps, email), orgId ?? '', invitation].join('.')
	return apiLink(deps.env, '/unsubscribe?token=', `${said}.${await lasting(deps, 'mail-refusal', said)}`)
}

async function read(deps: Deps, token: string): Promise<Received> {
	const [addressHash = '', orgId = '', invitation = '', mac = ''] = token.split('.')
	const said = [addressHash, orgId, invitation].join('.')
	if (!(await equalText(await lasting(deps, 'mail-refusal', said), mac)))
		throw new AppError('not_found', 'this link is not complete; open the one in the mail again')
	return {
		addressHash,
		orgId: orgId || null,
		invitation: /^\d+$/.test(invitation) ? Number(invitation) : invitation,
	}
}

export const hasRefused = async (deps: Deps, email: string): Promise<boolean> =>
	refusalStore(deps.db).has(await hashOf(deps, email))

export type Choice = 'refuse' | 'report' | 'allow'

/** What the reader of an invitation wants from now on. May come twice. */
export async function choose(deps: Deps, token: string, choice: Choice): Promise<void> {
	const { db, now, log } = deps
	const { addressHash, orgId, invitation } = await read(deps, token)
	const store = refusalStore(db)
	if (choice === 'allow') return store.remove(addressHash)
	if (choice === 'refuse') return void (await store.add(addressHash, now))
	await db.batch([
		store.add(addressHash, now),
		store.endInvitation(invitation),
		...(orgId === null ? [] : [store.report(orgId, addressHash, now)]),
	])
	log.warn('an invitation was reported', { orgId })
}
