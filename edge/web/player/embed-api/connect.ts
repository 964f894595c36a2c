import type { ShownPlayer } from '../player-view.ts'
import { openChannel } from './channel.ts'
import { emitEvents, eventNames } from './events.ts'
import { createMethods } from './methods.ts'

const NOT_SUPPORTED = { code: 2, msg: 'this player has no such method' }

/** Lets the embedding site control the player through the player.js protocol and additional methods. */
export function connectEmbedApi(shown: ShownPlayer): void {
	const channel = openChannel()
	if (!channel) return
	// A map, because every object has properties such as `constructor`, which a message could name.
	const methods = new Map(Object.entries(createMethods(shown)))
	/** The listeners of each event; a listener without an id is the empty text. */
	const listeners = new Map<string, Set<string>>()

	const emit = (event: string, value?: unknown) => {
		for (const listener of listeners.get(event) ?? []) channel.send(event, value, listener || undefined)
	}
	channel.onMessage(({ method, value, listener = '' }) => {
		if (method === 'addEventListener' || method === 'removeEventListener') {
			if (typeof value !== 'string' || !eventNames.includes(value)) return
			const all = listeners.get(value) ?? new Set()
			listeners.set(value, all)
			if (method === 'addEventListener') all.add(listener)
			// Without an id, all listeners of the event end.
			else if (listener) all.delete(listener)
			else all.clear()
			if (method === 'addEventListener' && value === 'ready')
				channel.send('ready', ready, listener || undefined)
			return
		}
		const call = methods.get(method)
		if (!call) return channel.send('error', NOT_SUPPORTED, listener || undefined)
		const answer = call(value)
		if (answer !== undefined) channel.send(method, answer, listener || undefined)
	})
	emitEvents(shown, emit)
	const ready = {
		// The reference implementation compares it with the address of its frame, token included.
		src: location.href,
		events: eventNames,
		methods: [...methods.keys(), 'addEventListener', 'removeEventListener'],
	}
	channel.send('ready', ready)
}
