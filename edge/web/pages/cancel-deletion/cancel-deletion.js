import { ApiError, call, explain } from '../shared/api.js'
import { element, messageLine, whileBusy } from '../shared/dom.js'
import { findPerson, forgetSession, signIn } from '../shared/sign-in.js'
import { heading, showStep, step } from '../shared/step.js'

// Opening this page sends no API request, since mail scanners open every link. Only a click does.

const token = new URLSearchParams(location.search).get('token') ?? ''

function showKeepButton() {
	step.replaceChildren(element('button', { type: 'button', onclick: () => void begin() }, 'Keep my account'))
}

async function begin() {
	const person = await findPerson().catch(() => null)
	if (person) await keepAccount()
	else await showSignIn()
}

async function showSignIn(message = '') {
	showStep('Sign in to keep your account', 'Signing in confirms that the account is yours.')
	const signedIn = signIn(step, { message })
	step.querySelector('input')?.focus()
	await signedIn
	await keepAccount()
}

async function keepAccount() {
	try {
		await call('POST', '/api/users/account/cancel-deletion/', { body: { token } })
	} catch (error) {
		const status = error instanceof ApiError ? error.status : undefined
		if (status === 401) return showSignIn('You were signed out. Sign in again to keep your account.')
		if (status === 403) {
			await forgetSession()
			return showSignIn(
				'This link belongs to another account. Sign in with the address that the email was sent to.',
			)
		}
		if (status !== 404) return showRetry(error)
		showStep(
			'This link no longer works',
			'The deletion was already cancelled or is in progress. If you can sign in, your account still exists.',
		)
		return heading.focus()
	}
	showStep('Your account stays', 'The deletion was cancelled. There is nothing else you need to do.')
	heading.focus()
}

/** @param {unknown} error */
function showRetry(error) {
	const { line, say } = messageLine()
	const retry = () => void whileBusy(step, () => keepAccount())
	showStep(
		'Your account was not kept',
		'It is still scheduled for deletion.',
		element(
			'div',
			{ class: 'stack' },
			line,
			element('button', { type: 'button', onclick: retry }, 'Try again'),
		),
	)
	say(explain(error))
	step.querySelector('button')?.focus()
}

if (token.length >= 1 && token.length <= 64) showKeepButton()
else
	showStep(
		'This link is incomplete',
		'Open the link in the email again, or copy the whole link into the address bar.',
	)
