/** A message of the site around this frame, in the player.js protocol. */
export type Request = { method: string; value?: unknown; listener?: string }

const CONTEXT = 'player.js'
const VERSION = '0.0.11'
const MAX_MESSAGE_CHARACTERS = 10_000

export type Channel = {
	onMessage(handler: (request: Request) => void): void
	send(event: string, value?: unknown, listener?: string): void
}

/**
 * Opens the channel to the embedding page; null if there is none. Accepts messages from that window only. Answers go
 * to their origin, and the first one to any: it contains only the frame's URL, which that window chose.
 */
export function openChannel(): Channel | null {
	if (window.parent === window) return null
	let origin = '*'
	const handlers: ((request: Request) => void)[] = []
	window.addEventListener('message', ({ source, origin: sender, data }) => {
		if (source !== window.parent) return
		const request = readRequest(data)
		if (!request) return
		// The origin of a sandboxed page is opaque, and can't be named as a target.
		origin = sender === 'null' ? '*' : sender
		for (const handler of handlers) handler(request)
	})
	return {
		onMessage: (handler) => void handlers.push(handler),
		send(event, value, listener) {
			const message = { context: CONTEXT, version: VERSION, event, value, listener }
			window.parent.postMessage(JSON.stringify(message), origin)
		},
	}
}

/** Reads a message, which is JSON or an object. Returns null for messages of other programs. */
export function readRequest(data: unknown): Request | null {
	const value = typeof data === 'string' ? parse(data) : data
	if (typeof value !== 'object' || value === null) return null
	const { context, method, value: argument, listener } = value as Record<string, unknown>
	if (context !== CONTEXT || typeof method !== 'string') return null
	return { method, value: argument, ...(typeof listener === 'string' && { listener }) }
}

function parse(text: string): unknown {
	if (text.length > MAX_MESSAGE_CHARACTERS) return null
	try {
		return JSON.parse(text)
	} catch {
		return null
	}
}
