import { ApiError, call, explain } from '../shared/api.js'
import { element, messageLine, whileBusy } from '../shared/dom.js'
import { findPerson, signIn, switchAccount } from '../shared/sign-in.js'
import { heading, showStep, step } from '../shared/step.js'
import { verifyAddress } from '../shared/verify-address.js'

const invitationToken = takeInvitation()
// Opening another link in the same tab changes only the part after the `#`, which doesn't reload the page.
addEventListener('hashchange', () => location.reload())

const isCommunity = invitationToken?.startsWith('c.') ?? false
const kind = isCommunity ? 'community' : 'organization'
const acceptPath = isCommunity ? '/v1/communities/invitations/accept' : '/v1/orgs/invitations/accept'

/**
 * Moves the token from the address bar, where it could be seen or copied, to the history entry. There it survives when
 * a phone discards the page while its user reads the code in their mail.
 */
function takeInvitation() {
	const linkToken = new URLSearchParams(location.hash.slice(1)).get('token')
	if (linkToken !== null) history.replaceState({ invitationToken: linkToken }, '', location.pathname)
	const token = history.state?.invitationToken
	return typeof token === 'string' && /^(c\.)?[\w-]{1,62}$/.test(token) ? token : null
}

/** @param {string} token */
async function showSignIn(token, message = '') {
	showStep('You have been invited', 'Sign in or create an account to join.')
	const person = await signIn(step, { invitationToken: token, message })
	if (person.isNew) showJoined(await findJoinedName(person))
	else showJoinStep(token, person)
	heading.focus()
}

/**
 * Asks for confirmation after sign-in: it may be the wrong account, and joining shows its name and address to others.
 * @param {string} token
 * @param {import('../shared/sign-in.js').Person} person
 */
function showJoinStep(token, person) {
	const { line, say } = messageLine()
	const joinButton = element('button', { type: 'button', onclick: () => void join() }, 'Join')
	const otherButton = element(
		'button',
		{ type: 'button', class: 'plain', onclick: () => void switchAccount(step, say, restart) },
		'Sign in as someone else',
	)
	const who = element('p', { class: 'person' }, `Signed in as ${person.user.name}`)
	who.append(element('span', {}, person.user.email))
	showStep(
		`Join the ${kind}`,
		isCommunity ? 'Its members will see your name.' : 'Its members will see your name and email address.',
		element('div', { class: 'stack' }, who, line, joinButton, otherButton),
	)

	const join = () =>
		whileBusy(step, async () => {
			say('')
			try {
				const body = { token }
				const { name } = await call('POST', acceptPath, { body })
				showJoined(name)
				heading.focus()
			} catch (error) {
				const status = error instanceof ApiError ? error.status : undefined
				if (error instanceof ApiError && error.code === 'email_unverified')
					return void verifyAddress(person).then(() => showJoinStep(token, person))
				if (status === 401) return restart('You were signed out. Sign in again to join.')
				say(errorText(error))
				// This account can't join.
				if (status === 404) {
					joinButton.remove()
					otherButton.classList.remove('plain')
					otherButton.focus()
				}
			}
		})

	const restart = (message = '') => {
		void showSignIn(token, message)
		step.querySelector('input')?.focus()
	}
}

/** @param {unknown} error */
function errorText(error) {
	if (!(error instanceof ApiError)) return explain(error)
	if (error.status === 404)
		return 'You can’t use this invitation: it was sent to another address, was already used, or has expired. Sign in with the address it was sent to, or ask for a new invitation.'
	if (error.code === 'plan_limit')
		return 'The organization has no seats left. Please tell the person who invited you.'
	return explain(error)
}

/**
 * Returns the name of the inviting organization: the one membership of a new account besides its own organization.
 * @param {import('../shared/sign-in.js').SignedIn} person
 * @returns {Promise<string | undefined>}
 */
async function findJoinedName(person) {
	if (isCommunity) return undefined
	try {
		const { memberships } = await call('GET', '/v1/auth/me')
		return memberships.find((/** @type {{ orgId: string }} */ { orgId }) => orgId !== person.org?.id)?.name
	} catch {
		return undefined
	}
}

/** @param {string | undefined} name */
function showJoined(name) {
	history.replaceState(null, '', location.pathname)
	showStep(
		'Welcome',
		`You are now a member of ${name ? `“${name}”` : `the ${kind}`}. You can close this page.`,
	)
}

/** @param {string} token */
async function start(token) {
	const person = await findPerson()
	if (person) showJoinStep(token, person)
	else await showSignIn(token)
}

if (invitationToken) void start(invitationToken).catch((error) => showSignIn(invitationToken, explain(error)))
else
	showStep(
		'This link is incomplete',
		'Open the link in your invitation email again, or copy the whole link into the address bar. If that does not help, ask for a new invitation.',
	)
