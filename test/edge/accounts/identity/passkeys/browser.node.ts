import type { CDPSession } from 'playwright-core'
import { expect } from 'vitest'
import { provideAssets } from '../../../../support/node/built-assets.ts'
import { openBrowser } from '../../../../support/shared/chromium.ts'
import { startWorker } from '../../../../support/shared/miniflare-worker.ts'
import { readMail } from '../../../platform/mail/read-mail.node.ts'
import { catchMails } from '../../../platform/mail/smtp-catcher.node.ts'

export type Site = Awaited<ReturnType<typeof openSite>>

/** Starts a Worker whose mails are caught, and a browser. */
export async function openSite() {
	await provideAssets()
	await using started = new AsyncDisposableStack()
	const mails = started.use(await catchMails())
	const worker = started.use(
		await startWorker({
			vars: { SMTP_URL: `smtp://127.0.0.1:${mails.port}`, MAIL_FROM: 'Playhouse <play@example.com>' },
		}),
	)
	const browser = started.adopt(await openBrowser(), (opened) => opened.close())
	// Browsers accept no IP address as the host of a passkey.
	const origin = worker.url.replace('127.0.0.1', 'localhost').replace(/\/$/, '')
	const open = started.move()
	return { mails, browser, origin, close: () => open.disposeAsync() }
}

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
		.poll(() => {
			const texts = mails.caught
				.filter(({ to }) => to.includes(email))
				.map(({ raw }) => readMail(raw).parts.get('text/plain') ?? '')
			code = texts.flatMap((text) => /^ {4}(\d{6})$/m.exec(text)?.[1] ?? [])[nth - 1]
			return code
		})
		.toBeTruthy()
	return code ?? ''
}
