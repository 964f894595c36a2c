import { createElement, createIcon } from '../../parts/elements.ts'
import { icons } from '../icons.ts'
import type { Player } from '../player.ts'
import { openPanel } from './panel.ts'

export type Entry = {
	label: string
	/** At the end: the current choice of a submenu, or a mark of a choice. */
	detail?: string | undefined
	/** Opens another menu. */
	menu?: () => Menu
	/** A choice, which leads back to the menu before, or a switch. */
	role?: 'menuitemradio' | 'menuitemcheckbox'
	isChecked?: boolean
	choose?: () => void
}
export type Menu = { title: string; entries: Entry[] }

/** Returns a button with menus, one at a time, and a function that draws the visible one again if it has changed. */
export function openMenu(
	button: HTMLButtonElement,
	{ messages }: Player['page'],
	readFirst: () => Menu,
	onOpen: () => void,
) {
	/** From the first menu to the visible one, each with the entry that has the focus. */
	let path = [{ read: readFirst, focused: 0 }]
	let drawn = ''
	const open = () => {
		path = [{ read: readFirst, focused: 0 }]
		onOpen()
		draw()
		focus(0)
	}
	const { root, panel, close } = openPanel(button, { role: 'menu', label: messages.settings, onOpen: open })
	button.setAttribute('aria-haspopup', 'menu')

	const focus = (at: number) => panel.querySelectorAll('button')[at]?.focus()
	const indexOfFocus = () => [...panel.children].indexOf(document.activeElement as Element)
	const back = () => {
		if (path.length < 2) return
		path.pop()
		draw()
		focus(path.at(-1)?.focused ?? 0)
	}
	const enter = (read: () => Menu) => {
		const current = path.at(-1)
		if (current) current.focused = indexOfFocus()
		path.push({ read, focused: 0 })
		draw()
		const chosen = panel.querySelector<HTMLElement>('[aria-checked="true"]')
		chosen?.focus()
		if (!chosen) focus(1)
	}
	const act = ({ menu, role, choose }: Entry) => {
		if (menu) return enter(menu)
		choose?.()
		if (role === 'menuitemradio') back()
		else if (role) draw()
		else close()
	}
	const draw = () => {
		const menu = path.at(-1)?.read()
		const next = JSON.stringify([path.length, menu])
		if (!menu || next === drawn) return
		drawn = next
		const focused = indexOfFocus()
		panel.setAttribute('aria-label', menu.title)
		panel.replaceChildren(
			...(path.length > 1 ? [createBackEntry(menu.title, messages.back, back)] : []),
			...menu.entries.map((entry) => createEntry(entry, () => act(entry))),
		)
		if (focused >= 0) focus(Math.min(focused, panel.children.length - 1))
	}
	root.addEventListener('keydown', (event) => {
		const isToEnd = event.key === (getComputedStyle(panel).direction === 'rtl' ? 'ArrowLeft' : 'ArrowRight')
		if (panel.hidden || !/^Arrow[LR]/.test(event.key)) return
		event.preventDefault()
		if (!isToEnd) back()
		else panel.querySelector<HTMLElement>('.entry-more:focus')?.click()
	})
	return {
		root,
		update: () => {
			if (!panel.hidden) draw()
		},
	}
}

function createEntry({ label, detail, menu, role, isChecked }: Entry, click: () => void): HTMLElement {
	return createElement(
		'button',
		{
			class: menu ? 'entry entry-more' : 'entry',
			type: 'button',
			attributes: {
				role: role ?? 'menuitem',
				tabindex: '-1',
				...(role && { 'aria-checked': String(isChecked) }),
				...(menu && { 'aria-haspopup': 'menu' }),
			},
			on: { click },
		},
		[
			role ? createIcon(icons.check) : null,
			createElement('span', { text: label }),
			detail === undefined ? null : createElement('span', { class: 'detail', text: ` ${detail}` }),
		],
	)
}

const createBackEntry = (title: string, back: string, click: () => void): HTMLElement =>
	createElement('button', {
		class: 'entry entry-back',
		type: 'button',
		text: title,
		attributes: { role: 'menuitem', tabindex: '-1', 'aria-label': `${back}: ${title}` },
		on: { click },
	})
