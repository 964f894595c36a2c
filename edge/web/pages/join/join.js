import { call, explain, Refusal, tryAgain } from '../shared/api.js'
import { element, messageLine, whileBusy } from '../shared/dom.js'
import { codeField, signIn } from '../shared/sign-in.js'

const invitationToken = takeInvitation()
// Another link opened in the same tab changes nothing but what is behind the `#`.
addEventListener('hashchange', () => location.reload())
/** An invitation is into an organization or into a community. */
const isCommunity = invitationToken?.startsWith('c.') ?? false
const kind = isCommunity ? 'community' : 'organization'
const acceptPath = isCommunity ? '/v1/communities/invitations/accept' : '/v1/orgs/invitations/accept'
const heading = /** @type {HTMLElement} */ (document.querySelector('h1'))
const lead = /** @type {HTMLElement} */ (document.querySelector('.lead'))
const step = /** @type {HTMLElement} */ (document.querySelector('.step'))

/**
 * Out of the address bar, where it would be seen and copied along. The entry of the history keeps it, or whoever goes
 * to read a code on a phone, which drops pages in the background, would come back to a page that knows of nothing.
 */
function takeInvitation() {
	const given = new URLSearchParams(location.hash.slice(1)).get('token')
	if (given !== null) history.replaceState({ invitationToken: given }, '', location.pathname)
	const token = history.state?.invitationToken
	return typeof token === 'string' && /^(c\.)?[\w-]{1,62}$/.test(token) ? token : null
}

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

/** @param {string} token */
async function askWho(token, message = '') {
	turnTo('You are invited', 'Show who you are, then you can join.')
	const person = await signIn(step, { invitationToken: token, message })
	if (person.isNew) showJoined(await nameOfJoined(person), person.token)
	else askToJoin(token, person)
	heading.focus()
}

/**
 * Signing in is not yet a yes: the account may be the wrong one, and joining shows one's name and address to others.
 * @param {string} token
 * @param {import('../shared/sign-in.js').SignedIn} person
 */
function askToJoin(token, person) {
	const { line, say } = messageLine()
	const joinButton = element('button', { type: 'button', onclick: () => void join() }, 'Join')
	const otherButton = element(
		'button',
		{ type: 'button', class: 'plain', onclick: () => void beSomeoneElse() },
		'Sign in as someone else',
	)
	const who = element('p', { class: 'person' }, `Signed in as ${person.user.name}`)
	who.append(element('span', {}, person.user.email))
	turnTo(
		`Join the ${kind}`,
		isCommunity ? 'Its members will see your name.' : 'Its members will see your name and e-mail address.',
		element('div', { class: 'stack' }, who, line, joinButton, otherButton),
	)

	const join = () =>
		whileBusy(step, async () => {
			say('')
			try {
				const body = { token }
				const { name } = await call('POST', acceptPath, { token: person.token, body })
				showJoined(name, person.token)
				heading.focus()
			} catch (error) {
				const status = error instanceof Refusal ? error.status : undefined
				if (error instanceof Refusal && error.code === 'email_unverified')
					return void askToVerify(token, person)
				if (status === 401) return askAgain('You were signed out. Sign in again to join.')
				say(inWords(error))
				// For this person there is nothing left to press.
				if (status === 404) {
					joinButton.remove()
					otherButton.classList.remove('plain')
					otherButton.focus()
				}
			}
		})

	const beSomeoneElse = () =>
		whileBusy(step, async () => {
			endSession(person.token)
			askAgain()
		})

	const askAgain = (message = '') => {
		void askWho(token, message)
		step.querySelector('input')?.focus()
	}
}

/**
 * The account may have been made by somebody who does not read mail at its address, and the invitation was mailed there.
 * @param {string} token
 * @param {import('../shared/sign-in.js').SignedIn} person
 */
async function askToVerify(token, person) {
	const { line, say } = messageLine()
	const send = async () => {
		try {
			await call('POST', '/v1/auth/email/verify/send', { token: person.token })
		} catch (error) {
			if (!(error instanceof Refusal) || error.status !== 429) throw error
			say(
				`Look in your mail: a code may be there already. ${tryAgain(error.retryAfterSeconds, 'You can ask for another one')}`,
			)
		}
	}
	const form = element(
		'form',
		{
			onsubmit: (/** @type {Event} */ event) => {
				event.preventDefault()
				const code = String(new FormData(form).get('code')).replaceAll(/\s/g, '')
				void attempt(async () => {
					await call('POST', '/v1/auth/email/verify', { token: person.token, body: { code } })
					askToJoin(token, person)
					heading.focus()
				})
			},
		},
		codeField('It works for 10 minutes, and only the newest one does.'),
		line,
		element('button', {}, 'Go on'),
		element(
			'button',
			{ type: 'button', class: 'plain', onclick: () => void attempt(send) },
			'Send another code',
		),
	)
	/** @param {() => Promise<void>} act */
	const attempt = (act) =>
		whileBusy(form, async () => {
			say('')
			try {
				await act()
			} catch (error) {
				say(explain(error))
			}
		})
	turnTo('Verify your address', `We mailed a six-digit code to ${person.user.email}.`, form)
	heading.focus()
	await attempt(send)
}

/** @param {unknown} error */
function inWords(error) {
	if (!(error instanceof Refusal)) return explain(error)
	if (error.status === 404)
		return 'This invitation is not open for you: it was sent to another address, is used already, or is too old. Sign in with the address it was sent to, or ask for a new one.'
	if (error.code === 'plan_limit') return 'The organization has no place left. Tell the one who invited you.'
	return explain(error)
}

/**
 * An account made here belongs to its own organization and to the one that invited; communities are not told of.
 * @param {import('../shared/sign-in.js').SignedIn} person
 * @returns {Promise<string | undefined>}
 */
async function nameOfJoined(person) {
	if (isCommunity) return undefined
	try {
		const { memberships } = await call('GET', '/v1/auth/me', { token: person.token })
		return memberships.find((/** @type {{ orgId: string }} */ { orgId }) => orgId !== person.org?.id)?.name
	} catch {
		return undefined
	}
}

/**
 * @param {string | undefined} name
 * @param {string} sessionToken
 */
function showJoined(name, sessionToken) {
	history.replaceState(null, '', location.pathname)
	endSession(sessionToken)
	turnTo('Welcome', `You are a member of ${name ? `“${name}”` : `the ${kind}`} now. You can close this page.`)
}

/** Nothing keeps the token once this page is closed, so neither need the server. @param {string} token */
function endSession(token) {
	call('POST', '/v1/auth/logout', { token }).catch(() => {})
}

if (invitationToken) void askWho(invitationToken)
else
	turnTo(
		'This link is not complete',
		'Open the link in your invitation mail again, or copy the whole of it into the address bar. If that does not help, ask for a new invitation.',
	)
