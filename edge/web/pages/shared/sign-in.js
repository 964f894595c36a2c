import { call, explain, Refusal, tryAgain } from './api.js'
import { element, messageLine, whileBusy } from './dom.js'

/** @typedef {import('#schema/contract/identity.ts').SignedIn} SignedIn */
/** @typedef {{ isNew: boolean }} Newness Whether the account was made here (and an invitation used with it). */

/**
 * Lets a person show who they are: with a password, with a code from their mail, or, where an invitation lets them
 * in, with a new account. Draws itself into `place` and resolves when it is done. Keeps nothing: the token is the
 * caller's, and the session is the caller's to end.
 * @param {HTMLElement} place
 * @param {{
 *   invitationToken?: string,
 *   message?: string,
 * }} [options] `message`: shown at first, to say why somebody is asked again.
 * @returns {Promise<SignedIn & Newness>}
 */
export const signIn = (place, options = {}) =>
	new Promise((resolve) => drawSignIn(place, options, resolve))

/**
 * @param {HTMLElement} place
 * @param {{ invitationToken?: string, message?: string }} options
 * @param {(signedIn: SignedIn & Newness) => void} done
 */
function drawSignIn(place, { invitationToken, message: firstMessage = '' }, done) {
	const { line, say } = messageLine()
	const panel = element('div')
	let email = ''

	const ways = /** @type {const} */ ([
		...(invitationToken ? [['new', 'New here', drawNewcomer]] : []),
		['password', 'Password', drawPassword],
		['code', 'E-mail code', drawCodeRequest],
	])
	const choices = ways.map(([value, label, draw]) =>
		element(
			'label',
			{},
			element('input', { type: 'radio', name: 'way', value, onchange: () => draw() }),
			label,
		),
	)
	place.replaceChildren(
		element('fieldset', { class: 'ways' }, element('legend', {}, 'How do you want to sign in?'), ...choices),
		panel,
	)
	choose(ways[0][0])
	ways[0][2]()
	say(firstMessage)

	/** @param {string} way */
	function choose(way) {
		for (const input of place.querySelectorAll('.ways input'))
			if (input instanceof HTMLInputElement) input.checked = input.value === way
	}

	/**
	 * One form, in place of the one before.
	 * @param {{
	 *   fields: import('./dom.js').Child[],
	 *   button: string,
	 *   others?: [label: string, act: () => void][],
	 *   submit: (value: (name: string) => string) => Promise<void>,
	 *   refused?: (refusal: Refusal) => string | undefined,
	 * }} view `refused` may have better words for a refusal than `explain`.
	 */
	function show({ fields, button, others = [], submit, refused }) {
		say('')
		const form = element(
			'form',
			{
				onsubmit(event) {
					event.preventDefault()
					const data = new FormData(form)
					const value = (/** @type {string} */ name) => String(data.get(name) ?? '').trim()
					void whileBusy(form, async () => {
						say('')
						try {
							// A password is taken as it is, with its spaces.
							await submit((name) => (name === 'password' ? String(data.get(name)) : value(name)))
						} catch (error) {
							// Somebody who has gone on to another form does not want to hear of this one.
							if (!form.isConnected) return
							const words = error instanceof Refusal ? refused?.(error) : undefined
							if (form.isConnected) {
								say(words ?? explain(error))
								form.querySelector('input')?.form?.querySelector('input:last-of-type')
							}
						}
					})
				},
			},
			...fields,
			line,
			element('button', {}, button),
			...others.map(([label, act]) =>
				element('button', { type: 'button', class: 'plain', onclick: act }, label),
			),
		)
		panel.replaceChildren(form)
	}
}
