import { call } from '../shared/api.js'
import { element, messageLine } from '../shared/dom.js'
import { canUsePasskeys, field } from '../shared/sign-in.js'
import { showStep } from '../shared/step.js'
import { confirmAction, day, entry, part, plainButton } from './parts.js'

/**
 * @typedef {import('./security.js').Account} Account
 * @typedef {import('#schema/contract/accounts/sign-in/passkeys.ts').Passkey} Passkey
 */

/**
 * @param {Account} account
 * @param {readonly Passkey[]} passkeys
 * @param {(text: string) => void} say
 */
export function passkeysPart(account, passkeys, say) {
	const entries = passkeys.map((passkey) => {
		const { name, createdAt, lastUsedAt } = passkey
		const used = lastUsedAt === null ? 'never used' : `last used ${day(lastUsedAt)}`
		return entry(
			name,
			`Added ${day(createdAt)}, ${used}`,
			plainButton('Rename', () => showNameForm(account, passkey), `Rename ${name}`),
			plainButton('Remove', () => showRemoval(account, passkey), `Remove ${name}`),
		)
	})
	const form = element(
		'form',
		{
			onsubmit: (event) => {
				event.preventDefault()
				const name = String(new FormData(form).get('passkey')).trim()
				void account.attempt(form, say, () => addPasskey(account, name, say))
			},
		},
		nameField('Name of a new passkey', 'passkey', ''),
		element('button', { class: 'plain' }, 'Add a passkey'),
	)
	return part(
		'Passkeys',
		'A passkey signs you in with the screen lock of a device or a security key, without a password.',
		entries.length > 0 && element('ul', { class: 'entries' }, ...entries),
		canUsePasskeys() ? form : element('p', {}, 'This browser can’t create a passkey here.'),
	)
}

/**
 * @param {string} label
 * @param {string} name
 * @param {string} value
 */
const nameField = (label, name, value) =>
	field(label, { name, value, maxlength: '100', pattern: '.*\\S.*', autocomplete: 'off' })

/**
 * @param {Account} account
 * @param {string} name
 * @param {(text: string) => void} say
 */
async function addPasskey(account, name, say) {
	const { publicKey } = await call('POST', '/v1/auth/passkeys/registration-options')
	let credential
	try {
		const options = PublicKeyCredential.parseCreationOptionsFromJSON(publicKey)
		credential = /** @type {PublicKeyCredential} */ (
			await navigator.credentials.create({ publicKey: options })
		)
	} catch (error) {
		if (!(error instanceof DOMException)) throw error
		const isKnown = error.name === 'InvalidStateError'
		return say(
			isKnown ? 'This device already has a passkey of your account.' : 'No passkey was created. Try again.',
		)
	}
	const body = { name, credential: credential.toJSON() }
	const { recoveryCodes } = await call('POST', '/v1/auth/passkeys', { body })
	await account.showCodesIfNew(recoveryCodes, 'The passkey was added.')
}

/** @type {(account: Account, passkey: Passkey) => void} */
function showNameForm(account, { id, name }) {
	const { line, say } = messageLine()
	const form = element(
		'form',
		{
			onsubmit: (event) => {
				event.preventDefault()
				const body = { name: String(new FormData(form).get('name')).trim() }
				void account.attempt(form, say, async () => {
					await call('PATCH', `/v1/auth/passkeys/${id}`, { body })
					await account.showOverview('The passkey was renamed.')
				})
			},
		},
		nameField('Name', 'name', name),
		line,
		element('button', {}, 'Rename'),
		plainButton('Back', () => void account.showOverview()),
	)
	showStep('Rename a passkey', 'Choose a name that tells you where the passkey is.', form)
	form.querySelector('input')?.focus()
}

/** @type {(account: Account, passkey: Passkey) => void} */
const showRemoval = (account, { id, name }) =>
	confirmAction(account, {
		title: 'Remove this passkey?',
		text: `“${name}” will no longer sign you in. Your device may still offer it until you delete it there, too.`,
		button: 'Remove the passkey',
		async act() {
			await call('DELETE', `/v1/auth/passkeys/${id}`)
			await account.showOverview('The passkey was removed.')
		},
	})
