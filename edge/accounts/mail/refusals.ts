import { AppError } from '../../http/errors.ts'
import { requireSecrets } from '../../http/require-secrets.ts'
import type { Deps } from '../../platform/deps.ts'
import { computeLastingHmac } from '../../platform/tokens/data-keys.ts'
import { isEqualText } from '../../platform/tokens/digest.ts'
import { buildApiLink } from './link.ts'
import { refusalStore } from './refusal-store.ts'

/** The invitation that an unsubscribe link belongs to. */
type ReceivedInvitation = { addressHash: string; orgId: string | null; invitation: string | number }

const hmac = (deps: Deps, name: 'mail-address' | 'mail-refusal', text: string): Promise<string> =>
	computeLastingHmac({ db: deps.db, secrets: requireSecrets(deps, 'emails'), now: deps.now }, name, text)

const hashAddress = (deps: Deps, email: string): Promise<string> =>
	hmac(deps, 'mail-address', email.toLowerCase())

/** Returns a signed link that works without a session and after the invitation is deleted. */
export async function createUnsubscribeUrl(
	deps: Deps,
	email: string,
	{ orgId, invitation }: Omit<ReceivedInvitation, 'addressHash'>,
): Promise<string> {
	const payload = [await hashAddress(deps, email), orgId ?? '', invitation].join('.')
	return buildApiLink(
		deps.env,
		'/unsubscribe?token=',
		`${payload}.${await hmac(deps, 'mail-refusal', payload)}`,
	)
}

async function readToken(deps: Deps, token: string): Promise<ReceivedInvitation> {
	const [addressHash = '', orgId = '', invitation = '', mac = ''] = token.split('.')
	const payload = [addressHash, orgId, invitation].join('.')
	if (!(await isEqualText(await hmac(deps, 'mail-refusal', payload), mac)))
		throw new AppError('not_found', 'this link is incomplete; open the link in the email again')
	return {
		addressHash,
		orgId: orgId || null,
		invitation: /^\d+$/.test(invitation) ? Number(invitation) : invitation,
	}
}

export const hasRefusedMail = async (deps: Deps, email: string): Promise<boolean> =>
	refusalStore(deps.db).has(await hashAddress(deps, email))

export type Choice = 'refuse' | 'report' | 'allow'

/** Applies the recipient's choice; repeating it changes nothing. */
export async function applyChoice(deps: Deps, token: string, choice: Choice): Promise<void> {
	const { db, now, log } = deps
	const { addressHash, orgId, invitation } = await readToken(deps, token)
	const store = refusalStore(db)
	if (choice === 'allow') return store.remove(addressHash)
	if (choice === 'refuse') return void (await store.addStatement(addressHash, now))
	await db.batch([
		store.addStatement(addressHash, now),
		store.endInvitationStatement(invitation),
		...(orgId === null ? [] : [store.reportStatement(orgId, addressHash, now)]),
	])
	log.warn('invitation reported', { orgId })
}
