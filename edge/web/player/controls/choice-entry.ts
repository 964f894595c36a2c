import type { Choice } from '../playback/engine-types.ts'
import type { Entry } from './menu.ts'

const HD_LINES = 720
const UHD_LINES = 2_160

type Choices = {
	label: string
	/** The menu calls both whenever it is drawn. */
	list: () => readonly Choice[]
	chosen: () => number
	choose: (id: number) => void
}

/** Returns an entry that shows the current choice, and leads to all of them. */
export const createChoiceEntry = ({ label, list, chosen, choose }: Choices): Entry => ({
	label,
	detail: list().find(({ id }) => id === chosen())?.label,
	menu: () => ({
		title: label,
		entries: list().map((choice) => ({
			label: choice.label,
			detail: chooseMark(choice.label),
			role: 'menuitemradio',
			isChecked: choice.id === chosen(),
			choose: () => choose(choice.id),
		})),
	}),
})

/** Returns the mark of a quality such as 1080p. */
export function chooseMark(label: string): string | undefined {
	const lines = Number(/^(\d{1,5})p\b/.exec(label)?.[1] ?? 0)
	if (lines >= UHD_LINES) return '4K'
	return lines >= HD_LINES ? 'HD' : undefined
}
