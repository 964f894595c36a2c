/** Where the credential stays while the tab is open. */
const KEY = 'playhouse-reference-credential'
const credential = /** @type {HTMLInputElement} */ (document.querySelector('.credential input'))
credential.value = sessionStorage.getItem(KEY) ?? ''
credential.addEventListener('input', () => sessionStorage.setItem(KEY, credential.value))

for (const details of document.querySelectorAll('details.try'))
	details.addEventListener('toggle', () => {
		if (!details.querySelector('form')) details.append(buildForm(/** @type {HTMLElement} */ (details)))
	})

/** @param {HTMLElement} details */
function buildForm({ dataset: { method = '', path = '', body } }) {
	const form = document.createElement('form')
	const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
		name,
		input: addInput(form, name),
	}))
	const query = addInput(form, 'Query, such as limit=20')
	const text = document.createElement('textarea')
	text.value = body ?? ''
	text.rows = 8
	text.spellcheck = false
	if (body !== undefined) addField(form, 'Body', text)
	const send = document.createElement('button')
	send.textContent = 'Send'
	const stop = document.createElement('button')
	stop.type = 'button'
	stop.textContent = 'Stop'
	stop.hidden = true
	const result = document.createElement('output')
	form.append(send, stop, result)
	let request = new AbortController()
	stop.addEventListener('click', () => request.abort())
	form.addEventListener('submit', async (event) => {
		event.preventDefault()
		request.abort()
		request = new AbortController()
		const { signal } = request
		const filled = parameters.reduce(
			(url, { name, input }) => url.replace(`{${name}}`, encodeURIComponent(input.value)),
			path,
		)
		const url = query.value ? `${filled}?${query.value}` : filled
		const shown = showText('')
		result.replaceChildren(shown)
		stop.hidden = false
		await call(method, url, body === undefined ? undefined : text.value, signal, (answer) => {
			shown.textContent = answer
		})
		if (request.signal === signal) stop.hidden = true
	})
	return form
}

/**
 * Calls the installation that serves this page, with what is entered here and not with the cookie of a signed-in person.
 * Shows a stream while it arrives.
 *
 * @param {string} method
 * @param {string} url
 * @param {string | undefined} body
 * @param {AbortSignal} signal
 * @param {(answer: string) => void} show
 */
async function call(method, url, body, signal, show) {
	/** @type {Record<string, string>} */
	const headers = body === undefined ? {} : { 'content-type': 'application/json' }
	if (credential.value.startsWith('phk_')) headers['x-api-key'] = credential.value
	else if (credential.value) headers.authorization = `Bearer ${credential.value}`
	let answer = ''
	try {
		const response = await fetch(url, { method, headers, body: body ?? null, credentials: 'omit', signal })
		answer = `${response.status}\n`
		if (response.body && response.headers.get('content-type')?.startsWith('text/event-stream')) {
			show(answer)
			const decoder = new TextDecoder()
			const reader = response.body.getReader()
			for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
				answer = limitText(answer + decoder.decode(chunk.value, { stream: true }))
				show(answer)
			}
			show(`${answer}the stream has ended`)
		} else show(answer + formatJson(await response.text()))
	} catch (error) {
		show(signal.aborted ? `${answer}stopped` : `${answer}the request failed: ${error}`)
	}
}

/**
 * Keeps only the end of the text, because a stream may run for an hour.
 *
 * @param {string} text
 */
const limitText = (text) => text.slice(-20_000)

/** @param {string} text */
function formatJson(text) {
	try {
		return JSON.stringify(JSON.parse(text), null, 2)
	} catch {
		return text
	}
}

/** @param {string} text */
function showText(text) {
	const pre = document.createElement('pre')
	pre.tabIndex = 0
	pre.textContent = text
	return pre
}

/**
 * @param {HTMLFormElement} form
 * @param {string} name
 */
function addInput(form, name) {
	const input = document.createElement('input')
	input.autocomplete = 'off'
	addField(form, name, input)
	return input
}

/**
 * @param {HTMLFormElement} form
 * @param {string} name
 * @param {HTMLElement} field
 */
function addField(form, name, field) {
	const label = document.createElement('label')
	label.append(name, field)
	form.append(label)
}
