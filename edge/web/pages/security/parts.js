import { element, messageLine } from '../shared/dom.js'
import { heading, showStep } from '../shared/step.js'

/**
 * @param {string} title
 * @param {string} text
 * @param {...import('../shared/dom.js').Child} content
 */
export const part = (title, text, ...content) =>
	element('section', {}, element('h2', {}, title), element('p', { class: 'hint' }, text), ...content)

/**
 * A line of a list, with its buttons. People and devices choose names, whose direction must not change that of the page.
 * @param {string} name
 * @param {string} details
 * @param {...import('../shared/dom.js').Child} buttons
 */
export const entry = (name, details, ...buttons) =>
	element(
		'li',
		{},
		element(
			'div',
			{},
			element('p', { class: 'name' }, element('bdi', {}, name)),
			element('p', { class: 'hint' }, details),
		),
		...buttons,
	)

/**
 * @param {string} label
 * @param {() => void} onclick
 * @param {string} [spoken] the label for screen readers, where several buttons look the same
 */
export const plainButton = (label, onclick, spoken) =>
	element('button', { type: 'button', class: 'plain', 'aria-label': spoken, onclick }, label)

/** @param {string} time */
export const day = (time) => new Date(time).toLocaleDateString(undefined, { dateStyle: 'medium' })

/**
 * Asks before an action that can't be undone.
 * @param {import('./security.js').Account} account
 * @param {{ title: string, text: string, button: string, act: () => Promise<void> }} question
 */
export function confirmAction(account, { title, text, button, act }) {
	const { line, say } = messageLine()
	const form = element(
		'form',
		{
			onsubmit: (event) => {
				event.preventDefault()
				void account.attempt(form, say, act)
			},
		},
		line,
		element('button', {}, button),
		plainButton('Back', () => void account.showOverview()),
	)
	showStep(title, text, form)
	heading.focus()
}
