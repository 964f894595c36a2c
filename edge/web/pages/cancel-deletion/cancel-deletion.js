import { call, explain, Refusal } from '../shared/api.js'
import { element, messageLine, whileBusy } from '../shared/dom.js'
import { signIn } from '../shared/sign-in.js'

// Opening this page asks the server for nothing: mail programs open links to look at them. Only a click does.

const token = new URLSearchParams(location.search).get('token') ?? ''
const heading = /** @type {HTMLElement} */ (document.querySelector('h1'))
const lead = /** @type {HTMLElement} */ (document.querySelector('.lead'))
const step = /** @type {HTMLElement} */ (document.querySelector('.step'))

/**
 * @param {string} title
 * @param {string} words
 * @param {...HTMLElement} content
 */
function turnTo(title, words, ...content) {
	heading.textContent = title
	lead.textContent = words
	document.title = `${title} – Playhouse`
	step.replaceChildren(...content)
}

function askWhether() {
	step.replaceChildren(element('button', { type: 'button', onclick: () => void askWho() }, 'Keep my account'))
}

async function askWho(message = '') {
	turnTo('Sign in to keep it', 'So that nobody but you decides about your account.')
	const signedIn = signIn(step, { message })
	step.querySelector('input')?.focus()
	await keepAccount((await signedIn).token)
}

/** @param {string} session */
async function keepAccount(session) {
	try {
		await call('POST', '/api/users/account/cancel-deletion/', { token: session, body: { token } })
	} catch (error) {
		const status = error instanceof Refusal ? error.status : undefined
		if (status === 401) return askWho('You were signed out. Sign in again to keep your account.')
		if (status === 403) {
			endSession(session)
			return askWho('This link belongs to another account. Sign in with the address the mail was sent to.')
		}
		if (status !== 404) return offerAnotherTry(session, error)
		endSession(session)
		turnTo(
			'This link does not work any more',
			'The deletion was cancelled before, or is being carried out. If you can sign in, your account is still there.',
		)
		return heading.focus()
	}
	endSession(session)
	turnTo('Your account stays', 'The deletion is cancelled. There is nothing else you need to do.')
	heading.focus()
}

/**
 * @param {string} session
 * @param {unknown} error
 */
function offerAnotherTry(session, error) {
	const { line, say } = messageLine()
	const again = () => void whileBusy(step, () => keepAccount(session))
	turnTo(
		'Not yet',
		'Your account is still going to be deleted.',
		element(
			'div',
			{ class: 'stack' },
			line,
			element('button', { type: 'button', onclick: again }, 'Try again'),
		),
	)
	say(explain(error))
	step.querySelector('button')?.focus()
}

/** The session was for this one thing. @param {string} session */
function endSession(session) {
	call('POST', '/v1/auth/logout', { token: session }).catch(() => {})
}

if (token.length >= 1 && token.length <= 64) askWhether()
else
	turnTo(
		'This link is not complete',
		'Open the link in the mail again, or copy the whole of it into the address bar.',
	)
