/** @typedef {HTMLElement | string | false | null | undefined} Child */

/**
 * Creates an element with attributes, listeners (`onclick: …`) and children. Strings become text nodes, never markup.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string | boolean | ((event: Event) => void) | undefined>} attributes
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, attributes = {}, ...children) {
	const made = document.createElement(tag)
	for (const [name, value] of Object.entries(attributes)) {
		if (typeof value === 'function') made.addEventListener(name.slice(2), value)
		else if (value === true) made.setAttribute(name, '')
		else if (value !== false && value !== undefined) made.setAttribute(name, value)
	}
	made.append(...children.filter((child) => typeof child === 'string' || child instanceof HTMLElement))
	return made
}

/**
 * Creates a line whose text screen readers announce. It must be on the page before its text is set.
 * @returns {{ line: HTMLElement, say(text: string): void }}
 */
export function messageLine() {
	const line = element('p', { class: 'message', role: 'alert' })
	return {
		line,
		say(text) {
			line.textContent = text
		},
	}
}

/**
 * Runs one action at a time. Buttons stay enabled meanwhile, since a disabled button loses the focus.
 * @param {HTMLElement} place
 * @param {() => Promise<void>} act
 */
export async function whileBusy(place, act) {
	if (place.ariaBusy === 'true') return
	place.ariaBusy = 'true'
	try {
		await act()
	} finally {
		place.ariaBusy = 'false'
	}
}
