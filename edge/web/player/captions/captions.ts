import { createElement } from '../../parts/elements.ts'
import type { CaptionTrack } from '../playback/engine-types.ts'
import type { Player } from '../player.ts'
import { type CaptionStyleName, captionStyleNames, captionStyles, findStyleIndex } from './caption-style.ts'
import { type Cue, findCues } from './cues.ts'

export const NO_CAPTIONS = -1

export type Captions = ReturnType<typeof openCaptions>

/** Draws the captions as text over the video, in the style that the viewer chose. */
export function openCaptions(player: Player) {
	const { media, preferences, page } = player
	const root = createElement('div', { class: 'captions', attributes: { 'aria-live': 'off', dir: 'auto' } })
	/** The cues of each track by their content, because the engine parses some segments more than once. */
	const cuesOf = new Map<string, Map<string, Cue>>()
	let shown: readonly Cue[] = []
	let isChosen = false
	/** The most recently disabled track. */
	let lastId = NO_CAPTIONS

	const draw = () => {
		const chosen = tracks().find(({ id }) => id === track())
		const cues = chosen && cuesOf.get(keyOf(chosen))
		const next = cues ? findCues([...cues.values()], player.currentTime()) : []
		if (next.length === shown.length && next.every((cue, at) => cue === shown[at])) return
		shown = next
		root.replaceChildren(
			...next.map(({ text }) =>
				createElement(
					'p',
					{},
					text.split('\n').map((line) => createElement('span', { text: line })),
				),
			),
		)
	}
	const tracks = () => player.engine()?.captionTracks() ?? []
	const track = () => player.engine()?.captionTrack() ?? NO_CAPTIONS
	const choose = (id: number) => {
		isChosen = true
		player.engine()?.setCaptionTrack(id)
		draw()
	}
	/** Selects captions by URL, viewer preference or organization default, once the tracks are known. */
	const chooseFirst = () => {
		if (isChosen || tracks().length === 0) return
		const stored = preferences.read().captions
		const { captions } = page.start
		// A viewer who disabled captions gets none, unless the URL names a language.
		const wanted = typeof captions === 'string' ? captions : (stored ?? (stored === null ? false : captions))
		if (wanted === false) return
		const found = trackIn(wanted === true ? page.language : wanted)
		choose(found?.id ?? (wanted === true ? 0 : NO_CAPTIONS))
	}
	const trackIn = (language: string) => tracks().find((each) => baseOf(each.language) === baseOf(language))
	const style = (name: CaptionStyleName) => findStyleIndex(name, preferences.read().captionStyle?.[name])
	const showStyle = () => {
		root.className = `captions ${captionStyleNames.map((name) => `${name}-${captionStyles[name][style(name)]?.value}`).join(' ')}`
	}
	player.on('tracks', chooseFirst)
	player.on('cues', ({ track: from, cues }) => {
		const known = cuesOf.get(keyOf(from)) ?? new Map<string, Cue>()
		cuesOf.set(keyOf(from), known)
		for (const cue of cues) known.set(`${cue.fromSec} ${cue.toSec} ${cue.text}`, cue)
		draw()
	})
	for (const event of ['timeupdate', 'seeking', 'emptied']) media.addEventListener(event, draw)
	showStyle()
	return {
		root,
		tracks,
		track,
		choose(id: number) {
			choose(id)
			const language = tracks().find((each) => each.id === id)?.language ?? null
			preferences.change({ captions: language })
		},
		toggle() {
			const { messages } = page
			const isOn = track() !== NO_CAPTIONS
			if (isOn) lastId = track()
			const next = tracks().find(({ id }) => id === lastId) ?? trackIn(page.language) ?? tracks()[0]
			if (!next) return
			this.choose(isOn ? NO_CAPTIONS : next.id)
			player.announce(isOn ? messages.captionsOff : messages.captionsOn)
		},
		style,
		setStyle(name: CaptionStyleName, at: number) {
			const value = captionStyles[name][at]?.value ?? ''
			preferences.change({ captionStyle: { ...preferences.read().captionStyle, [name]: value } })
			showStyle()
		},
	}
}

/** Identifies a track across reloads of the list. */
const keyOf = ({ language, label }: CaptionTrack) => `${language} ${label}`

const baseOf = (language: string | undefined) => language?.toLowerCase().split('-')[0]
