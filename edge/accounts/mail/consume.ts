import type { CodePurpose, SendCode, SendMail } from '#schema/contract/messages.ts'
import { MINUTE } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import { isRegistrationAllowed } from '../../platform/registration.ts'
import { hasRefusedMail } from './refusals.ts'
import { mailStore } from './store.ts'
import {
	addressTakenMail,
	changeAddressMail,
	codeMail,
	type MailContent,
	verifyAddressMail,
} from './templates.ts'

/** Longer than the timeout of any transport, so an expired claim means that its holder died. */
export const CLAIM_MS = 5 * MINUTE

export async function sendMail(deps: Deps, { id, to, ...mail }: SendMail): Promise<void> {
	const { subject, text, html, unsubscribeUrl } = mail
	// Checked right before sending: the recipient may have unsubscribed while the mail was queued.
	if (unsubscribeUrl !== undefined && (await hasRefusedMail(deps, to)))
		return deps.log.info('mail not sent: the address has unsubscribed from invitations', { mailId: id })
	await sendOnce(deps, id, to, { subject, text, html }, unsubscribeUrl)
}

/**
 * Decides here rather than in the request handler whether the address gets a code. The handler can therefore give
 * everybody the same response after the same time.
 */
export async function sendCode(deps: Deps, message: SendCode): Promise<void> {
	const { db, now, env, log } = deps
	const { id, email, code, expiresAt, purpose = 'sign-in' } = message
	if (expiresAt <= now) return log.info('code not sent: the code has expired', { mailId: id })
	if (purpose !== 'sign-in')
		return sendOnce(deps, id, email, await addressMail(deps, { ...message, purpose }))
	const { isUser, isInvited } = await mailStore(db).findAddressStatus(email, now)
	if (!isUser && !isInvited && !isRegistrationAllowed(env.vars, email))
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
	if (purpose === 'change-to' && (await mailStore(db).findAddressStatus(email, now)).isUser)
		return addressTakenMail()
	return changeAddressMail({ code, minutes, newEmail, isNew: purpose === 'change-to' })
}

/**
 * Sends each mail once, although the queue may deliver a message twice, even concurrently. A mail goes out twice only
 * if the Worker dies between the server's acceptance and `markSent`. Both copies then have the same Message-ID.
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
		// The error makes the queue retry: if the holder of the claim died, that retry sends the mail.
		throw new Error('another delivery is sending this mail')
	}
	try {
		await mailer.send({ to, ...content, unsubscribeUrl, idempotencyKey: id })
	} catch (error) {
		// The next retry is due in seconds and must not wait until the claim expires.
		await store.release(id, claimedUntil, now)
		throw error
	}
	await store.markSent(id, now)
	log.info('mail sent', { mailId: id, via: mailer.kind })
}
