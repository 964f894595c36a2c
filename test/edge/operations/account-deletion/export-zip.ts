import { strFromU8, unzipSync } from 'fflate'
import type { World } from '../../../support/edge/world.ts'

export const downloadExport = (world: World, who: { token: string }, path = 'export/') =>
	world.fetch(
		new Request(`https://edge.test/api/users/account/${path}`, {
			headers: { authorization: `Bearer ${who.token}` },
		}),
	)

/** Downloads and unpacks the export of a person. */
export async function openExport(world: World, who: { token: string }) {
	const response = await downloadExport(world, who)
	const files = unzipSync(new Uint8Array(await response.arrayBuffer()))
	const texts = Object.fromEntries(Object.entries(files).map(([name, bytes]) => [name, strFromU8(bytes)]))
	const lines = (name: string): Record<string, unknown>[] =>
		(texts[name] ?? '')
			.split('\n')
			.filter(Boolean)
			.map((line) => JSON.parse(line))
	return { response, texts, lines }
}
