/** A thumbnail: a region of an image, for a time range of the video. */
export type Tile = { fromSec: number; url: string; x: number; y: number; width: number; height: number }

const CUE = /^(?:(\d{1,4}):)?(\d{2}):(\d{2}\.\d{3}) --> [\d:.]+\n([^\s#]+)#xywh=(\d+),(\d+),(\d+),(\d+)/gm

/** Reads the list of thumbnails (WebVTT whose cues are regions of images). */
export async function readStoryboard(url: URL): Promise<Tile[]> {
	const response = await fetch(url)
	if (!response.ok) throw new Error(`the storyboard request returned ${response.status}`)
	return parseStoryboard(await response.text(), url)
}

export const parseStoryboard = (text: string, base: URL): Tile[] =>
	[...text.matchAll(CUE)].flatMap(([, hours = '0', minutes, seconds, uri = '', x, y, width, height]) => {
		const url = addressOf(uri, base)
		if (url === null) return []
		const fromSec = Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)
		return [{ fromSec, url, x: Number(x), y: Number(y), width: Number(width), height: Number(height) }]
	})

/** URL() percent-encodes quotes, so that the address can't leave a CSS url("…"). */
function addressOf(uri: string, base: URL): string | null {
	try {
		return new URL(uri, base).href
	} catch {
		return null
	}
}

export const findTile = (tiles: readonly Tile[], sec: number): Tile | undefined =>
	tiles.findLast(({ fromSec }) => fromSec <= sec) ?? tiles[0]
