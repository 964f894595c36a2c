import { call } from '../shared/api.js'
import { element, messageLine } from '../shared/dom.js'
import { codeField } from '../shared/sign-in.js'
import { heading, showStep } from '../shared/step.js'
import { confirmAction, part, plainButton } from './parts.js'

/** @typedef {import('./security.js').Account} Account */

/**
 * @param {Account} account
 * @param {import('#schema/contract/accounts/sign-in/second-factor.ts').SecondFactor} factor
 * @param {(text: string) => void} say
 */
export function appPart(account, { totp }, say) {
	const begin = () => void account.attempt(section, say, () => showSecret(account))
	const section = part(
		'Authenticator app',
		totp
			? 'An app is set up. Its codes are asked for after your password or an emailed code.'
			: 'An app on your phone shows codes that are asked for after your password or an emailed code.',
		plainButton(totp ? 'Set up another app instead' : 'Set up an app', begin),
		totp && plainButton('Remove the app', () => showRemoval(account)),
	)
	return section
}

/** @param {Account} account */
async function showSecret(account) {
	const { secret, otpauthUrl } = await call('POST', '/v1/auth/second-factor/totp')
	const { line, say } = messageLine()
	const form = element(
		'form',
		{
			onsubmit: (event) => {
				event.preventDefault()
				const body = { code: String(new FormData(form).get('code')).replaceAll(/\s/g, '') }
				void account.attempt(form, say, async () => {
					const path = '/v1/auth/second-factor/totp/confirm'
					const { recoveryCodes } = await call('POST', path, { body })
					await account.showCodesIfNew(recoveryCodes, 'The app is set up.')
				})
			},
		},
		element('p', {}, 'Type this key into the app:'),
		element('p', { class: 'secret', dir: 'ltr' }, secret.match(/.{1,4}/g).join(' ')),
		element('p', {}, element('a', { href: otpauthUrl }, 'Open the app on this device instead')),
		codeField('Then type the code that the app shows. The key can be confirmed for 15 minutes.'),
		line,
		element('button', {}, 'Confirm'),
		plainButton('Back', () => void account.showOverview()),
	)
	showStep('Set up an authenticator app', 'Nothing changes until a code of the app was right.', form)
	heading.focus()
}

/** @param {Account} account */
const showRemoval = (account) =>
	confirmAction(account, {
		title: 'Remove the authenticator app?',
		text: 'Its codes will no longer be asked for. Without a passkey, your recovery codes stop working, too.',
		button: 'Remove the app',
		async act() {
			await call('DELETE', '/v1/auth/second-factor/totp')
			await account.showOverview('The authenticator app was removed.')
		},
	})
