import type { WatchPage } from '#schema/contract/watch/player-page.ts'
import { createElement } from '../../parts/elements.ts'

/** Shows one panel beside the video at a time: chapters, transcript or comments. Without scripts, all are visible. */
export function showTabs({ messages }: WatchPage): void {
	const column = document.querySelector<HTMLElement>('.panels')
	const panels = [...(column?.querySelectorAll<HTMLElement>(':scope > *') ?? [])]
	if (!column || panels.length < 2) return
	const tabs = panels.map((panel, at) => {
		panel.id = `panel-${at}`
		panel.setAttribute('role', 'tabpanel')
		panel.setAttribute('aria-labelledby', `tab-${at}`)
		return createElement('button', {
			class: 'tab',
			type: 'button',
			text: panel.querySelector('h2')?.textContent ?? '',
			attributes: { role: 'tab', id: `tab-${at}`, 'aria-controls': panel.id },
			on: { click: () => select(at) },
		})
	})
	const select = (chosen: number) => {
		for (const [at, tab] of tabs.entries()) {
			tab.setAttribute('aria-selected', String(at === chosen))
			tab.tabIndex = at === chosen ? 0 : -1
		}
		for (const [at, panel] of panels.entries()) panel.hidden = at !== chosen
	}
	const list = createElement(
		'div',
		{
			class: 'tabs',
			attributes: { role: 'tablist', 'aria-label': messages.panels },
			on: { keydown: (event) => moveFocus(event, tabs) },
		},
		tabs,
	)
	column.classList.add('has-tabs')
	column.prepend(list)
	select(0)
}

/** Moves between tabs by the arrow keys, as the ARIA pattern for tabs requires. */
function moveFocus(event: KeyboardEvent, tabs: readonly HTMLElement[]): void {
	const at = tabs.indexOf(document.activeElement as HTMLElement)
	const forward = document.documentElement.dir === 'rtl' ? 'ArrowLeft' : 'ArrowRight'
	const backward = forward === 'ArrowRight' ? 'ArrowLeft' : 'ArrowRight'
	const next = { [forward]: at + 1, [backward]: at - 1, Home: 0, End: tabs.length - 1 }[event.key]
	if (at < 0 || next === undefined) return
	event.preventDefault()
	// The player uses the same keys as shortcuts.
	event.stopPropagation()
	const tab = tabs[(next + tabs.length) % tabs.length]
	tab?.click()
	tab?.focus()
}
