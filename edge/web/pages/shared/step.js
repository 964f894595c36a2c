/** The elements of the card that change from one step of a page to the next. */
export const heading = /** @type {HTMLElement} */ (document.querySelector('h1'))
const lead = /** @type {HTMLElement} */ (document.querySelector('.lead'))
export const step = /** @type {HTMLElement} */ (document.querySelector('.step'))

/**
 * @param {string} title
 * @param {string} text
 * @param {...HTMLElement} content
 */
export function showStep(title, text, ...content) {
	heading.textContent = title
	lead.textContent = text
	document.title = `${title} – Playhouse`
	step.replaceChildren(...content)
}
