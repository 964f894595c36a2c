import type { World } from './world.ts'

export type Heard = { id: string; data: { type: string } & Record<string, unknown> }
export type Listening = { next(): Promise<Heard | null>; end(): Promise<void> }

/** Opens a stream. `next` returns the next event, or null at the end. */
export async function listenTo(
	world: World,
	path: string,
	headers: Record<string, string> = {},
): Promise<Response & { listening?: Listening }> {
	const response: Response & { listening?: Listening } = await world.fetch(
		new Request(`https://edge.test${path}`, { headers }),
	)
	if (!response.ok || !response.body) return response
	const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
	let text = ''
	async function readBlock(): Promise<string | null> {
		for (;;) {
			const end = text.indexOf('\n\n')
			if (end >= 0) {
				const block = text.slice(0, end)
				text = text.slice(end + 2)
				return block
			}
			const { done, value } = await reader.read()
			if (done) return null
			text += value
		}
	}
	async function next(): Promise<Heard | null> {
		const block = await readBlock()
		if (block === null) return null
		if (!block.includes('data: ')) return next()
		return {
			id: /^id: (.*)$/m.exec(block)?.[1] ?? '',
			data: JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? 'null'),
		}
	}
	response.listening = { next, end: () => reader.cancel() }
	return response
}
