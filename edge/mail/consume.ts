import type { CodePurpose, SendCode, SendMail } from '#schema/contract/messages.ts'
import { registrationAllows } from '../identity/registration.ts'
import { MINUTE } from '../platform/clock.ts'
import type { Deps } from '../platform/deps.ts'
import { hasRefused } from './refusals.ts'
import { mailStore } from './store.ts'
import {
	addressTakenMail,
	changeAddressMail,
	codeMail,
	type MailContent,
	verifyAddressMail,
} from './templates.ts'

/** Longer than any transport tries, so a lapsed claim means that its holder is gone. */
export const CLAIM_MS = 5 * MINUTE

export async function sendMail(deps: Deps, { id, to, ...mail }: SendMail): Promise<void> {
	const { subject, text, html, unsubscribeUrl } = mail
	// Asked at the last moment: whoever refuses while a mail waits does not get it.
	if (unsubscribeUrl !== undefined && (await hasRefused(deps, to)))
		return deps.log.info('mail not sent: the address takes no invitations', { mailId: id })
	await sendOnce(deps, id, to, { subject, text, html }, unsubscribeUrl)
}

/**
 * Whether an address gets a code at all is decided here and not at the door, which therefore answers everyone
 * alike and after the same time.
 */
export async function sendCode(deps: Deps, message: SendCode): Promise<void> {
	const { db, now, env, log } = deps
	const { id, email, code, expiresAt, purpose = 'sign-in' } = message
	if (expiresAt <= now) return log.info('code not sent: it has expired', { mailId: id })
	if (purpose !== 'sign-in')
		return sendOnce(deps, id, email, await addressMail(deps, { ...message, purpose }))
	const { isUser, isInvited } = await mailStore(db).findStanding(email, now)
	if (!isUser && !isInvited && !registrationAllows(env.vars, email))
		return log.info('code not sent: the address may not sign up', { mailId: id })
	const minutes = Math.ceil((expiresAt - now) / MINUTE)
	await sendOnce(deps, id, email, codeMail({ code, minutes, purpose: isUser ? 'sign-in' : 'sign-up' }))
}

async function addressMail(
	{ db, now }: Deps,
	{ email, code, expiresAt, purpose, newEmail = '' }: SendCode & { purpose: Exclude<CodePurpose, 'sign-in'> },
): Promise<MailContent> {
	const minutes = Math.ceil((expiresAt - now) / MINUTE)
	if (purpose === 'verify') return verifyAddressMail({ code, minutes })
	if (purpose === 'change-to' && (await mailStore(db).findStanding(email, now)).isUser)
		return addressTakenMail()
	return changeAddressMail({ code, minutes, newEmail, isNew: purpose === 'change-to' })
}

/**
 * The queue delivers at least once, now and then twice at the same time. A mail may go out twice only if this
 * dies between the server's yes and `markSent`; then both carry the same Message-ID.
 */
async function sendOnce(
	deps: Deps,
	id: string,
	to: string,
	content: MailContent,
	unsubscribeUrl?: string,
): Promise<void> {
	const { db, now, mailer, log } = deps
	const store = mailStore(db)
	const claimedUntil = now + CLAIM_MS
	if (!(await store.claim(id, now, claimedUntil))) {
		if (await store.isSent(id)) return
		// Not acknowledged: should the holder have died, this delivery is the one that sends it later.
		throw new Error('another delivery of this mail is at work on it')
	}
	try {
		await mailer.send({ to, ...content, unsubscribeUrl, idempotencyKey: id })
	} catch (error) {
		// The next try is due in seconds; a refusal should not make it wait for the claim to lapse.
		await store.release(id, claimedUntil, now)
		throw error
	}
	await store.markSent(id, now)
	log.info('mail sent', { mailId: id, via: mailer.kind })
}
