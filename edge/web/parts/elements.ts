type Child = Node | string | null

/** Attributes and event handlers of a new element. Neither markup nor style texts can be set. */
type Properties = {
	class?: string
	type?: string
	text?: string
	hidden?: boolean
	attributes?: Record<string, string>
	on?: { [E in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[E]) => void }
}

/** Creates an element. Texts become text nodes, never markup. */
export function createElement<Tag extends keyof HTMLElementTagNameMap>(
	tag: Tag,
	{ class: className, type, text, hidden, attributes = {}, on = {} }: Properties = {},
	children: readonly Child[] = [],
): HTMLElementTagNameMap[Tag] {
	const created = document.createElement(tag)
	if (className) created.className = className
	if (type) created.setAttribute('type', type)
	if (hidden) created.hidden = true
	for (const [name, value] of Object.entries(attributes)) created.setAttribute(name, value)
	for (const [name, handler] of Object.entries(on)) created.addEventListener(name, handler as EventListener)
	created.append(...children.filter((child) => child !== null))
	if (text !== undefined) created.append(text)
	return created
}

const SVG = 'http://www.w3.org/2000/svg'

/** Creates an icon from path data in a 24 by 24 square, hidden from screen readers. */
export function createIcon(path: string): SVGSVGElement {
	const svg = document.createElementNS(SVG, 'svg')
	for (const [name, value] of Object.entries({
		viewBox: '0 0 24 24',
		width: '24',
		height: '24',
		'aria-hidden': 'true',
	}))
		svg.setAttribute(name, value)
	const shape = document.createElementNS(SVG, 'path')
	shape.setAttribute('d', path)
	svg.append(shape)
	return svg
}

/** Replaces the icon of a button. */
export const setIcon = (button: HTMLElement, path: string): void =>
	button.querySelector('path')?.setAttribute('d', path)

/** Marks one element of a list as current, and returns it; an invalid index clears the mark. */
export function markCurrent<Item extends HTMLElement>(
	items: readonly Item[],
	index: number,
): Item | undefined {
	const current = items[index]
	for (const item of items) if (item !== current) item.removeAttribute('aria-current')
	current?.setAttribute('aria-current', 'true')
	return current
}
