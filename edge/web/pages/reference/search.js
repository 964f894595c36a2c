/** @typedef {{ url: string, summary: string, method: string, path: string, tag: string }} Entry */

const SHOWN = 12
const form = /** @type {HTMLFormElement} */ (document.querySelector('[role=search]'))
const input = /** @type {HTMLInputElement} */ (form.querySelector('input'))
const list = /** @type {HTMLUListElement} */ (form.querySelector('ul'))
const status = /** @type {HTMLElement} */ (form.querySelector('[role=status]'))

/** @type {Promise<Entry[]> | undefined} */
let index
const readIndex = () => {
	index ??= fetch(form.dataset.index ?? '').then((response) => response.json())
	return index
}

async function showResults() {
	const words = input.value.toLowerCase().split(/\s+/).filter(Boolean)
	const entries = words.length > 0 ? await readIndex() : []
	const found = entries.filter((entry) => {
		const text = `${entry.summary} ${entry.method} ${entry.path} ${entry.tag} ${entry.url}`.toLowerCase()
		return words.every((word) => text.includes(word))
	})
	list.replaceChildren(...found.slice(0, SHOWN).map(showEntry))
	list.hidden = found.length === 0
	status.textContent = words.length === 0 ? '' : `${found.length} found`
}

/** @param {Entry} entry */
function showEntry({ url, summary, method, path }) {
	const link = document.createElement('a')
	link.href = url
	const route = document.createElement('code')
	route.textContent = `${method} ${path}`
	link.append(summary, route)
	const item = document.createElement('li')
	item.append(link)
	return item
}

input.addEventListener('input', showResults)
form.addEventListener('submit', (event) => {
	event.preventDefault()
	list.querySelector('a')?.click()
})
form.addEventListener('keydown', (event) => {
	if (event.key !== 'Escape') return
	input.value = ''
	void showResults()
})
document.addEventListener('keydown', (event) => {
	const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement
	if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return
	event.preventDefault()
	input.focus()
})

// On a narrow screen, the contents would hide the page.
const menu = /** @type {HTMLDetailsElement} */ (document.querySelector('.menu'))
if (matchMedia('(max-width: 60rem)').matches) menu.open = false

const current = menu.querySelector('[aria-current]')
if (current instanceof HTMLElement) menu.scrollTop = current.offsetTop - menu.clientHeight / 3
