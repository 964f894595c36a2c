import { ApiError, call, explain } from '../shared/api.js'
import { element, messageLine, whileBusy } from '../shared/dom.js'
import { findPerson, signIn, signInAgain, switchAccount } from '../shared/sign-in.js'
import { heading, showStep, step } from '../shared/step.js'

/**
 * @typedef {import('../shared/sign-in.js').Person} Person
 * @typedef {import('#schema/contract/accounts/device-flow.ts').DeviceRequest} DeviceRequest
 * @typedef {{ orgId: string, name: string, role: string, suspended: boolean, current: boolean }} Membership
 */

const shownCode = takeCode()
// Opening another link in the same tab changes only the part after the `#`, which doesn't reload the page.
addEventListener('hashchange', () => location.reload())

const ADVICE =
	'Only go on if you started this yourself, on a device that you use. If somebody sent you a code or this link, close this page.'

/** What each scope lets the device do. */
const scopeTexts = /** @type {Record<string, string>} */ ({
	read: 'See videos, their numbers, communities and settings',
	write: 'Upload, change and delete videos, and write to communities',
	admin: 'Change settings, webhooks and communities, as an admin may',
	'headless:auth': 'Act as any member of your communities',
	'members:write': 'Add and change members of your communities',
})

/** Moves the code from the address bar to the history entry, where it survives a reload. */
function takeCode() {
	const code = location.hash.replaceAll(/[^\w-]/g, '')
	if (code !== '') history.replaceState({ code }, '', location.pathname)
	const taken = history.state?.code
	return typeof taken === 'string' ? taken.slice(0, 20) : ''
}

async function showSignIn(message = '') {
	showStep('Connect a device', 'Sign in to connect the device that shows you a code.')
	const place = element('div')
	step.replaceChildren(element('div', { class: 'stack' }, advice(), place))
	const person = await signIn(place, { message })
	showCode(person)
	heading.focus()
}

const advice = () => element('p', { class: 'advice' }, ADVICE)

/** @param {Person} person */
function showCode(person, message = '') {
	const { line, say } = messageLine()
	const input = element('input', {
		id: 'field-code',
		name: 'code',
		class: 'code',
		required: true,
		value: shownCode,
		maxlength: '20',
		autocomplete: 'off',
		autocapitalize: 'characters',
		spellcheck: 'false',
		'aria-describedby': 'field-code-hint',
	})
	const hint = shownCode
		? 'Check that your device shows exactly this code.'
		: 'Eight letters, such as BCDF-GHJK.'
	const form = element(
		'form',
		{
			onsubmit: (event) => {
				event.preventDefault()
				void attempt(person, form, say, async () => {
					const body = { userCode: input.value }
					const request = await call('POST', '/v1/auth/device/lookup', { body })
					const { memberships } = await call('GET', '/v1/auth/me')
					showRequest(person, input.value, request, memberships)
					heading.focus()
				})
			},
		},
		advice(),
		element(
			'div',
			{ class: 'field' },
			element('label', { for: 'field-code' }, 'Code on your device'),
			input,
			element('p', { id: 'field-code-hint', class: 'hint' }, hint),
		),
		line,
		element('button', {}, 'Continue'),
		element(
			'button',
			{ type: 'button', class: 'plain', onclick: () => void switchAccount(form, say, showSignIn) },
			'Sign in as someone else',
		),
	)
	showStep('Enter the code', `Your device shows it. You are signed in as ${person.user.email}.`, form)
	say(message)
}

/**
 * @param {Person} person
 * @param {string} userCode
 * @param {DeviceRequest} request
 * @param {readonly Membership[]} memberships
 */
function showRequest(person, userCode, request, memberships) {
	const { line, say } = messageLine()
	const orgs = memberships.filter(({ role, suspended }) => role !== 'member' && !suspended)
	const select = element(
		'select',
		{ id: 'field-org', name: 'org' },
		...orgs.map(({ orgId, name, current }) => element('option', { value: orgId, selected: current }, name)),
	)
	const scopes = request.scopes.map((scope) =>
		element(
			'label',
			{},
			element('input', { type: 'checkbox', name: 'scope', value: scope, checked: true }),
			scopeTexts[scope] ?? scope,
		),
	)
	const refuse = () =>
		attempt(person, form, say, async () => {
			await call('POST', '/v1/auth/device/deny', { body: { userCode } })
			showEnd('Refused', 'The device gets no access. You can close this page.')
		})
	const form = element(
		'form',
		{
			onsubmit: (event) => {
				event.preventDefault()
				const values = new FormData(form)
				const path = `/v1/orgs/${encodeURIComponent(String(values.get('org')))}/device-approvals`
				const body = { userCode, scopes: values.getAll('scope') }
				if (body.scopes.length === 0) return say('Choose what the device may do, or refuse.')
				void attempt(person, form, say, async () => {
					await call('POST', path, { body })
					showEnd(
						'Connected',
						'Go back to your device; you can close this page. To disconnect it, delete its API key in the settings of the organization.',
					)
				})
			},
		},
		advice(),
		factsOf(request, person),
		orgs.length > 0 &&
			element(
				'div',
				{ class: 'field' },
				element('label', { for: 'field-org' }, 'In the organization'),
				select,
			),
		orgs.length > 0 &&
			element('fieldset', { class: 'scopes' }, element('legend', {}, 'It will be able to'), ...scopes),
		line,
		orgs.length > 0 && element('button', {}, 'Connect'),
		element('button', { type: 'button', class: 'plain', onclick: () => void refuse() }, 'Refuse'),
	)
	showStep(
		'Connect this device?',
		'It gets an API key of the organization that you choose, which is valid until somebody deletes it.',
		form,
	)
	if (orgs.length === 0)
		say('Only owners and admins of an organization can connect a device. Ask one of them to do it.')
}

/**
 * @param {DeviceRequest} request
 * @param {Person} person
 */
function factsOf({ deviceName, clientId, place, sameNetwork, createdAt }, { user }) {
	const country = place.country && new Intl.DisplayNames(['en'], { type: 'region' }).of(place.country)
	const where = [sameNetwork === false && 'another network', country, place.network]
	const facts = /** @type {[string, string][]} */ ([
		['Device', deviceName],
		['Program', clientId],
		['From', where.filter(Boolean).join(', ') || 'Unknown'],
		['Started', new Date(createdAt).toLocaleTimeString()],
		['You', user.email],
	])
	return element(
		'dl',
		{ class: 'facts' },
		// A device chooses its name, whose direction must not change that of the page.
		...facts.flatMap(([name, value]) => [
			element('dt', {}, name),
			element('dd', {}, element('bdi', {}, value)),
		]),
	)
}

/**
 * @param {Person} person
 * @param {HTMLElement} form
 * @param {(text: string) => void} say
 * @param {() => Promise<void>} act
 */
const attempt = (person, form, say, act) =>
	whileBusy(form, async () => {
		say('')
		try {
			await act()
		} catch (error) {
			if (signInAgain(error, showSignIn)) return
			if (error instanceof ApiError && error.code === 'not_found')
				return showCode(person, 'This code is wrong, was used, or has expired.')
			say(explain(error))
		}
	})

/**
 * @param {string} title
 * @param {string} text
 */
function showEnd(title, text) {
	history.replaceState(null, '', location.pathname)
	showStep(title, text)
	heading.focus()
}

async function start() {
	const person = await findPerson()
	if (person) showCode(person)
	else await showSignIn()
}

void start().catch((error) => showSignIn(explain(error)))
