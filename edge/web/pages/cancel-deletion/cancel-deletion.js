// Opening this page asks the server for nothing: mail programs open links to look at them. Only a click does.

const $ = (id) => document.getElementById(id)
const token = new URLSearchParams(location.search).get('token') ?? ''
let withCode = false

/** What went wrong in a way that the person can do something about. */
class Problem extends Error {}

function show(section) {
	for (const each of ['ask', 'prove', 'outcome']) $(each).hidden = each !== section
}

function conclude(title, text) {
	$('outcome-title').textContent = title
	$('outcome-text').textContent = text
	show('outcome')
	$('outcome').focus()
}

async function post(path, body, session) {
	let response
	try {
		response = await fetch(path, {
			method: 'POST',
			headers: {
				'content-type': 'application/json',
				...(session && { authorization: `Bearer ${session}` }),
			},
			body: JSON.stringify(body),
		})
	} catch {
		throw new Problem('The server could not be reached. Check your connection and try again.')
	}
	if (response.status === 429) throw new Problem('Too many tries. Wait a while, then try again.')
	if (response.status >= 500) throw new Problem('Something went wrong on our side. Try again in a moment.')
	const answer = await response.json().catch(() => ({}))
	return { status: response.status, answer }
}

async function signIn() {
	const email = $('email').value.trim()
	const { status, answer } = withCode
		? await post('/v1/auth/otp/verify', { email, code: $('code').value.trim() })
		: await post('/v1/auth/login', { email, password: $('password').value })
	if (status === 200) return answer.data.token
	throw new Problem(
		withCode
			? 'That is not the newest code for this address, or it is too old.'
			: 'The address or the password is wrong.',
	)
}

async function keepAccount() {
	const session = await signIn()
	const { status } = await post('/api/users/account/cancel-deletion/', { token }, session)
	// The session was for this one thing; whether it ends well changes nothing about the outcome.
	await post('/v1/auth/logout', {}, session).catch(() => {})
	if (status === 200)
		return conclude('Your account stays', 'The deletion is cancelled. There is nothing else you need to do.')
	if (status === 403)
		throw new Problem('This link belongs to another account. Sign in with the address the mail was sent to.')
	conclude(
		'This link does not work any more',
		'The deletion was cancelled before, or has been carried out. If you can sign in, your account is still there.',
	)
}

async function sendCode() {
	const email = $('email').value.trim()
	const { status } = await post('/v1/auth/otp/send', { email })
	if (status !== 200) throw new Problem('Enter the address of your account first.')
	withCode = true
	$('password-field').hidden = true
	$('code-field').hidden = false
	$('send-code').textContent = 'Mail me another code'
	$('prove-how').textContent =
		'If there is an account with this address, a code of six digits is on its way to it.'
	$('code').focus()
}

async function attempt(work) {
	const buttons = document.querySelectorAll('button')
	$('problem').textContent = ''
	for (const button of buttons) button.disabled = true
	try {
		await work()
	} catch (error) {
		$('problem').textContent = error instanceof Problem ? error.message : 'Something went wrong. Try again.'
	} finally {
		for (const button of buttons) button.disabled = false
	}
}

$('keep').addEventListener('click', () => {
	show('prove')
	$('email').focus()
})
$('sign-in').addEventListener('submit', (event) => {
	event.preventDefault()
	void attempt(keepAccount)
})
$('send-code').addEventListener('click', () => void attempt(sendCode))

if (token.length >= 1 && token.length <= 64) show('ask')
else
	conclude(
		'This link is not complete',
		'Open the link from the mail again, or copy all of it into the address bar.',
	)
