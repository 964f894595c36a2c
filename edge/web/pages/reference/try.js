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
	const result = document.createElement('output')
	form.append(send, result)
	form.addEventListener('submit', async (event) => {
		event.preventDefault()
		const filled = parameters.reduce(
			(url, { name, input }) => url.replace(`{${name}}`, encodeURIComponent(input.value)),
			path,
		)
		const url = query.value ? `${filled}?${query.value}` : filled
		result.replaceChildren(showText(await call(method, url, body === undefined ? undefined : text.value)))
	})
	return form
}

/**
 * Calls the installation that serves this page, with what is entered here and not with the cookie of a signed-in person.
 *
 * @param {string} method
 * @param {string} url
 * @param {string | undefined} body
 */
async function call(method, url, body) {
	/** @type {Record<string, string>} */
	const headers = body === undefined ? {} : { 'content-type': 'application/json' }
	if (credential.value.startsWith('phk_')) headers['x-api-key'] = credential.value
	else if (credential.value) headers.authorization = `Bearer ${credential.value}`
	try {
		const response = await fetch(url, { method, headers, body: body ?? null, credentials: 'omit' })
		const text = await response.text()
		return `${response.status}\n${formatJson(text)}`
	} catch (error) {
		return `the request failed: ${error}`
	}
}

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
