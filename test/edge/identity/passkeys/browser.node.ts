import type { CDPSession } from 'playwright-core'
import { expect } from 'vitest'
import { readMail } from '../../platform/mail/read-mail.node.ts'
import type { catchMails } from '../../platform/mail/smtp-catcher.node.ts'

/** Gives a page of Chromium an authenticator that verifies its user without asking. Returns its id. */
export async function addAuthenticator(cdp: CDPSession): Promise<string> {
	await cdp.send('WebAuthn.enable')
	const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
		options: {
			protocol: 'ctap2',
			transport: 'internal',
			hasResidentKey: true,
			hasUserVerification: true,
			isUserVerified: true,
			automaticPresenceSimulation: true,
		},
	})
	return authenticatorId
}

/** Waits for the `nth` code that is mailed to an address. */
export async function verificationCode(
	mails: Awaited<ReturnType<typeof catchMails>>,
	email: string,
	nth = 1,
): Promise<string> {
	let code: string | undefined
	await expect
		.poll(
			() => {
				const texts = mails.caught
					.filter(({ to }) => to.includes(email))
					.map(({ raw }) => readMail(raw).parts.get('text/plain') ?? '')
				code = texts.flatMap((text) => /^ {4}(\d{6})$/m.exec(text)?.[1] ?? [])[nth - 1]
				return code
			},
			{ timeout: 30_000 },
		)
		.toBeTruthy()
	return code ?? ''
}
