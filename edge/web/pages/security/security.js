import { ApiError, call, explain } from '../shared/api.js'
import { element, messageLine, whileBusy } from '../shared/dom.js'
import { findPerson, signIn, signInAgain, signOut } from '../shared/sign-in.js'
import { heading, showStep, step } from '../shared/step.js'
import { verifyAddress } from '../shared/verify-address.js'
import { appPart } from './app.js'
import { passkeysPart } from './passkeys.js'
import { codesPart, showCodes } from './recovery-codes.js'
import { sessionsPart } from './sessions.js'

/**
 * The signed-in person, and what the parts of the page do with them.
 * @typedef {object} Account
 * @property {(place: HTMLElement, say: (text: string) => void, act: () => Promise<void>) => Promise<void>} attempt
 *   Runs an action of `place`, one at a time, and says its error.
 * @property {(notice?: string) => Promise<void>} showOverview
 * @property {(codes: readonly string[] | null, notice: string) => Promise<void>} showCodesIfNew
 *   Shows new recovery codes before the overview.
 */

const TITLE = 'Security of your account'

async function showSignIn(message = '') {
	showStep(TITLE, 'Sign in to see and change how you sign in, and where you are signed in.')
	const person = await signIn(step, { message })
	await openAccount(person).showOverview()
}

/**
 * @param {import('../shared/sign-in.js').Person} person
 * @returns {Account}
 */
function openAccount(person) {
	const { user } = person
	/** @type {Account} */
	const account = {
		attempt: (place, say, act) =>
			whileBusy(place, async () => {
				say('')
				try {
					await act()
				} catch (error) {
					if (signInAgain(error, showSignIn)) return
					if (error instanceof ApiError && error.code === 'email_unverified')
						return void verifyAddress(person).then(() =>
							account.showOverview('Your email address is verified now.'),
						)
					say(explain(error))
				}
			}),
		showOverview: (notice = '') => showOverview(account, user.email, notice),
		async showCodesIfNew(codes, notice) {
			if (codes === null) await account.showOverview(notice)
			else showCodes(account, codes, notice)
		},
	}
	return account
}

/**
 * @param {Account} account
 * @param {string} email
 * @param {string} notice
 */
async function showOverview(account, email, notice) {
	const { line, say: sayInLine } = messageLine()
	const say = (/** @type {string} */ text) => {
		sayInLine(text)
		// The button that was pressed may be far below.
		if (text !== '') line.scrollIntoView({ block: 'center' })
	}
	const status = element('p', { class: 'notice', role: 'status' })
	const parts = element('div', { class: 'parts' })
	const load = () =>
		account.attempt(parts, say, async () => {
			const read = (/** @type {string} */ path) => call('GET', path)
			const [factor, passkeys, sessions] = await Promise.all([
				read('/v1/auth/second-factor'),
				read('/v1/auth/passkeys'),
				read('/v1/auth/sessions'),
			])
			parts.replaceChildren(
				passkeysPart(account, passkeys, say),
				appPart(account, factor, say),
				...(factor.since === null ? [] : [codesPart(account, factor.recoveryCodesLeft)]),
				sessionsPart(account, sessions, say),
				element('button', { type: 'button', onclick: () => void leave() }, 'Sign out'),
			)
		})
	const leave = () =>
		whileBusy(parts, async () => {
			try {
				await signOut()
			} catch (error) {
				return say(`You are still signed in. ${explain(error)}`)
			}
			showStep('Signed out', 'You can close this page.')
			heading.focus()
		})
	parts.append(element('button', { type: 'button', onclick: () => void load() }, 'Load again'))
	showStep(TITLE, `Signed in as ${email}.`, element('div', { class: 'stack' }, status, line, parts))
	heading.focus()
	await load()
	status.textContent = notice
}

async function start() {
	const person = await findPerson()
	if (person) await openAccount(person).showOverview()
	else await showSignIn()
}

void start().catch((error) => showSignIn(explain(error)))
