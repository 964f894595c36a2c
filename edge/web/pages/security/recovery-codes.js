import { call } from '../shared/api.js'
import { element } from '../shared/dom.js'
import { heading, showStep } from '../shared/step.js'
import { confirmAction, part, plainButton } from './parts.js'

/** @typedef {import('./security.js').Account} Account */

/**
 * @param {Account} account
 * @param {number} left
 */
export const codesPart = (account, left) =>
	part(
		'Recovery codes',
		`Each signs you in once without the app and the passkeys. ${left === 0 ? 'None is left.' : `${left} left.`}`,
		plainButton('Get new codes', () =>
			confirmAction(account, {
				title: 'Get new recovery codes?',
				text: 'All earlier codes stop working.',
				button: 'Get new codes',
				async act() {
					const path = '/v1/auth/second-factor/recovery-codes'
					const { recoveryCodes } = await call('POST', path)
					showCodes(account, recoveryCodes, 'You have new recovery codes.')
				},
			}),
		),
	)

/**
 * @param {Account} account
 * @param {readonly string[]} codes
 * @param {string} notice what to say afterwards
 */
export function showCodes(account, codes, notice) {
	showStep(
		'Keep your recovery codes',
		'Each signs you in once if you lose your phone or your passkeys. They are shown only now: write them down, or keep them in a password manager.',
		element(
			'div',
			{ class: 'stack' },
			element('ul', { class: 'codes', dir: 'ltr' }, ...codes.map((code) => element('li', {}, code))),
			element(
				'button',
				{ type: 'button', onclick: () => void account.showOverview(notice) },
				'I have kept them',
			),
		),
	)
	heading.focus()
}
