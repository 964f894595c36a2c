import { call } from '../shared/api.js'
import { element } from '../shared/dom.js'
import { day, entry, part, plainButton } from './parts.js'

/**
 * @typedef {import('./security.js').Account} Account
 * @typedef {import('#schema/contract/accounts/sessions.ts').Session} Session
 */

/**
 * @param {Account} account
 * @param {readonly Session[]} sessions
 * @param {(text: string) => void} say
 */
export function sessionsPart(account, sessions, say) {
	const end = (/** @type {string} */ path, /** @type {string} */ notice) =>
		void account.attempt(section, say, async () => {
			await call('DELETE', path)
			await account.showOverview(notice)
		})
	const entries = sessions.map((session) => {
		const name = nameOf(session)
		const endThis = () => end(`/v1/auth/sessions/${session.id}`, `${name} was signed out.`)
		return entry(
			name,
			detailsOf(session),
			!session.current && plainButton('Sign out', endThis, `Sign out ${name}, ${detailsOf(session)}`),
		)
	})
	const endOthers = () => end('/v1/auth/sessions', 'You are signed out everywhere else.')
	const section = part(
		'Where you are signed in',
		'Sign out what you do not recognize, and change your password then.',
		element('ul', { class: 'entries' }, ...entries),
		sessions.length > 1 && plainButton('Sign out everywhere else', endOthers),
	)
	return section
}

/** @param {Session} session */
const nameOf = ({ device, impersonator }) =>
	impersonator ? `${impersonator.email}, acting as you` : (device ?? 'Unknown device')

/** @param {Session} session */
const detailsOf = ({ current, place, lastSeenAt }) =>
	[current ? 'This page' : `Last seen ${day(lastSeenAt)}`, place.country, place.network]
		.filter(Boolean)
		.join(', ')
