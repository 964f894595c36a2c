import { ApiError, call, explain, tryAgain } from './api.js'
import { element, messageLine, whileBusy } from './dom.js'
import { codeField } from './sign-in.js'
import { heading, showStep } from './step.js'

/**
 * Asks for a code from the mailbox, since anybody could have signed up with the address. Resolves once it is verified.
 * @param {import('./sign-in.js').Person} person
 * @returns {Promise<void>}
 */
export function verifyAddress({ user }) {
	return new Promise((resolve) => drawCodeForm(user.email, resolve))
}

/**
 * @param {string} email
 * @param {() => void} done
 */
async function drawCodeForm(email, done) {
	const { line, say } = messageLine()
	const send = async () => {
		try {
			await call('POST', '/v1/auth/email/verify/send')
		} catch (error) {
			if (!(error instanceof ApiError) || error.status !== 429) throw error
			say(
				`Check your email: you may already have a code. ${tryAgain(error.retryAfterSeconds, 'You can request another one')}`,
			)
		}
	}
	const form = element(
		'form',
		{
			onsubmit: (event) => {
				event.preventDefault()
				const code = String(new FormData(form).get('code')).replaceAll(/\s/g, '')
				void attempt(async () => {
					await call('POST', '/v1/auth/email/verify', { body: { code } })
					done()
					heading.focus()
				})
			},
		},
		codeField('The code expires after 10 minutes. Only the newest one works.'),
		line,
		element('button', {}, 'Continue'),
		element(
			'button',
			{ type: 'button', class: 'plain', onclick: () => void attempt(send) },
			'Send another code',
		),
	)
	/** @param {() => Promise<void>} act */
	const attempt = (act) =>
		whileBusy(form, async () => {
			say('')
			try {
				await act()
			} catch (error) {
				say(explain(error))
			}
		})
	showStep('Verify your email address', `We sent a six-digit code to ${email}.`, form)
	heading.focus()
	await attempt(send)
}
