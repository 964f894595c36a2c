import { ApiError, call, explain, tryAgain } from './api.js'
import { element, messageLine, whileBusy } from './dom.js'

/**
 * @typedef {import('#schema/contract/accounts/identity.ts').SignedIn} SignedIn
 * @typedef {object} Options
 * @property {string} [invitationToken] Lets new users create an account, which accepts the invitation.
 * @property {string} [message] Shown first, such as the reason for signing in again.
 * @typedef {(name: string) => string} FieldValues
 */

/**
 * Signs a person in with a password, an emailed code, a passkey or, given an invitation, a new account (`isNew`). Draws the forms
 * into `place` and resolves after sign-in. The browser stays signed in.
 * @param {HTMLElement} place
 * @param {Options} [options]
 * @returns {Promise<SignedIn & { isNew: boolean }>}
 */
export function signIn(place, options = {}) {
	return new Promise((resolve) => drawSignIn(place, options, resolve))
}

/** @typedef {Pick<SignedIn, 'user'>} Person */

/** Returns the person who is signed in on this browser, or null. @returns {Promise<Person | null>} */
export async function findPerson() {
	if (!document.cookie.includes('__Host-signed-in=1')) return null
	try {
		return await call('GET', '/v1/auth/me')
	} catch (error) {
		if (error instanceof ApiError && error.status === 401) return null
		throw error
	}
}

/** Ends the session. Rejects if it may still be open. */
export async function signOut() {
	try {
		await call('POST', '/v1/auth/logout')
	} catch (error) {
		if (!(error instanceof ApiError) || error.status !== 401) throw error
	}
}

/** Ends the session before a sign-in, which replaces it even if this fails. */
export const forgetSession = () => signOut().catch(() => {})

/**
 * Signs out and shows the sign-in, or says why the session may still be open.
 * @param {HTMLElement} place
 * @param {(message: string) => void} say
 * @param {() => unknown} showSignIn
 */
export const switchAccount = (place, say, showSignIn) =>
	whileBusy(place, async () => {
		try {
			await signOut()
			void showSignIn()
		} catch (error) {
			say(explain(error))
		}
	})

/**
 * Shows the sign-in again if an error asks for it. Returns whether it does.
 * @param {unknown} error
 * @param {(message: string) => unknown} showSignIn
 */
export function signInAgain(error, showSignIn) {
	const code = error instanceof ApiError ? error.code : null
	if (code === 'unauthorized') showSignIn('You were signed out. Sign in again.')
	else if (code === 'reauthentication_required')
		void forgetSession().then(() => showSignIn('Sign in again to confirm.'))
	else return false
	return true
}

/**
 * @param {HTMLElement} place
 * @param {Options} options
 * @param {(signedIn: SignedIn & { isNew: boolean }) => void} done
 */
function drawSignIn(place, { invitationToken, message = '' }, done) {
	const { line, say } = messageLine()
	const panel = element('div')
	const signUp = signUpOnce(invitationToken)
	let email = ''

	const methods = [
		...(invitationToken ? [{ name: 'new', label: 'New here', draw: drawSignUp }] : []),
		{ name: 'password', label: 'Password', draw: drawPassword },
		{ name: 'code', label: 'Code', draw: drawCodeRequest },
	]
	const choices = methods.map(({ name, label, draw }, i) => {
		const radio = element('input', {
			type: 'radio',
			name: 'way',
			value: name,
			checked: i === 0,
			onchange: draw,
		})
		return element('label', {}, radio, label)
	})
	const legend = element('legend', {}, 'How do you want to continue?')
	place.replaceChildren(element('fieldset', { class: 'ways' }, legend, ...choices), panel)
	if (canUsePasskeys()) {
		const button = { type: 'button', class: 'plain', onclick: () => void usePasskey() }
		place.append(element('button', button, 'Use a passkey'))
	}
	methods[0]?.draw()
	say(message)

	function drawSignUp() {
		show({
			fields: [
				field('Your name', { name: 'name', autocomplete: 'name', maxlength: '100', pattern: '.*\\S.*' }),
				emailField(),
				field(
					'Choose a password',
					{
						name: 'password',
						type: 'password',
						autocomplete: 'new-password',
						minlength: '8',
						maxlength: '256',
					},
					'At least 8 characters.',
				),
			],
			button: 'Create account and join',
			async submit(value) {
				try {
					const body = { name: value('name'), email, password: value('password') }
					done({ ...(await signUp('/v1/auth/signup', body)), isNew: true })
				} catch (error) {
					if (!hasErrorCode(error, 'conflict')) throw error
					go(
						'password',
						'There is already an account with this address. Sign in with its password or a code.',
					)
				}
			},
		})
	}

	function drawPassword() {
		show({
			fields: [
				emailField(),
				field('Password', {
					name: 'password',
					type: 'password',
					autocomplete: 'current-password',
					maxlength: '256',
				}),
			],
			button: 'Sign in',
			async submit(value) {
				const body = { email, password: value('password') }
				await signInInTwoSteps('/v1/auth/login', body)
			},
		})
	}

	function drawCodeRequest() {
		show({
			fields: [emailField('We will send a six-digit code to this address.')],
			button: 'Send me a code',
			others: { 'I already have a code': drawCode },
			async submit() {
				try {
					await call('POST', '/v1/auth/otp/send', { body: { email } })
					go(drawCode)
				} catch (error) {
					if (!(error instanceof ApiError) || error.status !== 429) throw error
					say(
						`Check your email: you may already have a code. ${tryAgain(error.retryAfterSeconds, 'You can request another one')}`,
					)
				}
			},
		})
	}

	function drawCode() {
		const hint = 'Check your email. The code expires after 10 minutes, and only the newest one works.'
		show({
			fields: [emailField(), codeField(hint)],
			button: 'Continue',
			others: { 'Request another code': drawCodeRequest },
			async submit(value) {
				const body = { email, code: value('code').replaceAll(/\s/g, '') }
				try {
					await signInInTwoSteps('/v1/auth/otp/verify', body)
				} catch (error) {
					if (!isNoAccount(error)) throw error
					if (invitationToken) go(() => drawName(body.code))
					else go('code', 'There is no account with this address.')
				}
			},
		})
	}

	/**
	 * Signs in, and asks for the second factor of an account that has one.
	 * @param {string} path
	 * @param {object} body
	 */
	async function signInInTwoSteps(path, body) {
		try {
			done({ ...(await call('POST', path, { body })), isNew: false })
		} catch (error) {
			if (!(error instanceof ApiError) || !error.ticket) throw error
			const { ticket } = error
			go(() => drawSecondFactor(ticket))
		}
	}

	/** Signs in with a passkey alone, which is both factors. */
	const usePasskey = () =>
		whileBusy(panel, async () => {
			say('')
			try {
				const { publicKey } = await call('POST', '/v1/auth/passkeys/sign-in-options')
				const options = PublicKeyCredential.parseRequestOptionsFromJSON(publicKey)
				const passkey = await navigator.credentials.get({ publicKey: options })
				const body = { passkey: /** @type {PublicKeyCredential} */ (passkey).toJSON() }
				done({ ...(await call('POST', '/v1/auth/passkeys/sign-in', { body })), isNew: false })
			} catch (error) {
				say(error instanceof DOMException ? NO_PASSKEY : errorText(error))
			}
		})

	/** @param {string} ticket */
	function drawSecondFactor(ticket) {
		const hint = 'Enter the code that your authenticator app shows, or one of your recovery codes.'
		const attributes = { name: 'factor', autocomplete: 'one-time-code', maxlength: '40' }
		show({
			fields: [field('Second factor', attributes, hint)],
			button: 'Continue',
			async submit(value) {
				const typed = value('factor').replaceAll(/\s/g, '')
				const factor = /^\d{6}$/.test(typed) ? { totp: typed } : { recoveryCode: typed }
				const body = { ticket, ...factor }
				done({ ...(await call('POST', '/v1/auth/second-factor/verify', { body })), isNew: false })
			},
		})
	}

	/** @param {string} code */
	function drawName(code) {
		show({
			fields: [
				element('p', {}, 'There is no account with this address yet. What is your name?'),
				field('Your name', { name: 'name', autocomplete: 'name', maxlength: '100', pattern: '.*\\S.*' }),
			],
			button: 'Create account and join',
			async submit(value) {
				try {
					const body = { name: value('name'), email, code }
					done({ ...(await signUp('/v1/auth/otp/verify-signup', body)), isNew: true })
				} catch (error) {
					// The failed call may have used the code up, so the next attempt needs a new one.
					if (!(error instanceof ApiError) || ![401, 403, 404, 409].includes(error.status)) throw error
					go('code', errorText(error))
				}
			},
		})
	}

	/** @param {string} [hint] */
	function emailField(hint) {
		const oninput = (/** @type {Event} */ { target }) => {
			if (target instanceof HTMLInputElement) email = target.value.trim()
		}
		return field(
			'Email address',
			{ name: 'email', type: 'email', autocomplete: 'username', maxlength: '254', value: email, oninput },
			hint,
		)
	}

	/**
	 * Replaces the current form.
	 * @param {{
	 *   fields: HTMLElement[],
	 *   button: string,
	 *   others?: Record<string, () => void>,
	 *   submit: (value: FieldValues) => Promise<void>,
	 * }} view
	 */
	function show({ fields, button, others = {}, submit }) {
		const otherButtons = Object.entries(others).map(([label, draw]) =>
			element('button', { type: 'button', class: 'plain', onclick: () => go(draw) }, label),
		)
		const form = element(
			'form',
			{ onsubmit },
			...fields,
			line,
			element('button', {}, button),
			...otherButtons,
		)
		say('')
		panel.replaceChildren(form)

		/** @param {Event} event */
		function onsubmit(event) {
			event.preventDefault()
			const data = new FormData(form)
			if (data.has('email')) email = String(data.get('email')).trim()
			void whileBusy(form, async () => {
				say('')
				try {
					await submit((name) => String(data.get(name)))
				} catch (error) {
					// The person has moved on to another form.
					if (!form.isConnected) return
					say(errorText(error))
					const secret = [...form.querySelectorAll('input')].at(-1)
					if (error instanceof ApiError && error.status === 401) secret?.focus()
				}
			})
		}
	}

	/**
	 * Switches to another form and focuses its first empty field.
	 * @param {string | (() => void)} to the name of a method, or the function that draws one of its steps
	 * @param {string} [text]
	 */
	function go(to, text = '') {
		if (typeof to === 'function') to()
		else {
			for (const radio of place.querySelectorAll('input'))
				if (radio.name === 'way') radio.checked = radio.value === to
			methods.find(({ name }) => name === to)?.draw()
		}
		say(text)
		const inputs = [...panel.querySelectorAll('input')]
		const next = inputs.find((input) => input.value === '') ?? inputs[0]
		next?.focus()
	}
}

const NO_PASSKEY = 'No passkey was used. Try again, or sign in another way.'

/** Browsers without this, and pages on plain HTTP, have no passkeys. */
export const canUsePasskeys = () =>
	'PublicKeyCredential' in window && 'parseRequestOptionsFromJSON' in PublicKeyCredential

/**
 * @param {string} label
 * @param {Record<string, string | ((event: Event) => void)> & { name: string }} attributes
 * @param {string} [hint]
 */
export function field(label, attributes, hint) {
	const id = `field-${attributes.name}`
	const described = hint ? { 'aria-describedby': `${id}-hint` } : {}
	return element(
		'div',
		{ class: 'field' },
		element('label', { for: id }, label),
		element('input', { id, required: true, ...described, ...attributes }),
		hint && element('p', { id: `${id}-hint`, class: 'hint' }, hint),
	)
}

/** @param {string} hint */
export const codeField = (hint) =>
	field(
		'Six-digit code',
		{
			name: 'code',
			class: 'code',
			inputmode: 'numeric',
			autocomplete: 'one-time-code',
			pattern: '\\s*(\\d\\s*){6}',
			title: 'Six digits',
		},
		hint,
	)

/**
 * Creates an account. If the response gets lost, a retry with the same input sends the same Idempotency-Key. It gets
 * the original response instead of an error that the address is taken. A sign-up with a code ignores the key.
 * @param {string | undefined} invitationToken
 * @returns {(path: string, person: object) => Promise<SignedIn>}
 */
function signUpOnce(invitationToken) {
	const attempt = { text: '', key: '' }
	return async (path, person) => {
		const body = { ...person, invitationToken }
		const text = JSON.stringify(body)
		if (attempt.text !== text) Object.assign(attempt, { text, key: randomKey() })
		try {
			return await call('POST', path, { body, idempotencyKey: attempt.key })
		} catch (error) {
			const isAnswered = error instanceof ApiError && error.status >= 400 && error.status < 500
			if (isAnswered && error.code !== 'request_in_flight') attempt.text = ''
			throw error
		}
	}
}

/** Doesn't use `crypto.randomUUID`, which is missing on plain HTTP, such as in a home network. */
const randomKey = () =>
	Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16)).join('-')

/** @type {(error: unknown, code: string) => boolean} */
const hasErrorCode = (error, code) => error instanceof ApiError && error.code === code

/** Tells that the code was right and is still unused. */
const isNoAccount = (/** @type {unknown} */ error) => hasErrorCode(error, 'no_account')

/** @param {unknown} error */
function errorText(error) {
	if (!(error instanceof ApiError)) return explain(error)
	if (error.code === 'registration_closed')
		return 'Only invited people can create an account here. Use the address that your invitation was sent to.'
	if (error.code === 'not_found')
		return 'This invitation was sent to another address, was already used, or has expired. No account was created.'
	if (error.code === 'request_in_flight')
		return `Your first request is still in progress. ${tryAgain(error.retryAfterSeconds)}`
	return explain(error)
}
