import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { loadPresentation } from '../../../scripts/operate/hls-validator/load.ts'
import {
	listFragments,
	listPictureStreams,
	listPlayedStreams,
	type Stream,
} from '../../../scripts/operate/hls-validator/presentation.ts'

/** A rendition or an audio track as players fetch it, joined to a file. */
export type PublishedStream = {
	name: string
	path: string
	samples: number
	/** Presentation times in seconds. */
	start: number
	end: number
	/** The number of fragments that do not start at the end of the fragment before. */
	gaps: number
	width: number
	height: number
}

export type Published = {
	/** The best quality first. */
	rungs: PublishedStream[]
	sounds: PublishedStream[]
}

/** Shorter than a tick of the finest timescale. */
const TOLERANCE_SEC = 1e-7

/** Fetches all streams of a playlist like a player. */
export async function fetchPublished(manifestUrl: string, dir: string): Promise<Published> {
	const presentation = await loadPresentation(manifestUrl)
	const pictures = listPictureStreams(presentation)
	const rungs = await Promise.all(pictures.map((stream) => readStream(stream, 'video', dir)))
	const others = listPlayedStreams(presentation).filter((stream) => !pictures.includes(stream))
	const sounds = await Promise.all(others.map((stream) => readStream(stream, 'audio', dir)))
	return { rungs: rungs.toSorted((a, b) => b.height * b.width - a.height * a.width), sounds }
}

async function readStream(stream: Stream, kind: 'video' | 'audio', dir: string): Promise<PublishedStream> {
	const fragments = listFragments(stream, kind).map(({ fragment }) => fragment)
	const track = stream.inits[0]?.tracks[0]
	const path = join(dir, `${stream.name}-${Math.random().toString(36).slice(2)}.mp4`)
	await writeFile(path, await fetchWhole(stream))
	return {
		name: stream.name,
		path,
		samples: fragments.reduce((sum, { samples }) => sum + samples, 0),
		start: Math.min(...fragments.map(({ start }) => start)),
		end: Math.max(...fragments.map(({ end }) => end)),
		gaps: fragments.filter(
			({ decodeStart }, k) =>
				k > 0 && Math.abs(decodeStart - (fragments[k - 1]?.decodeEnd ?? 0)) > TOLERANCE_SEC,
		).length,
		width: track?.width ?? 0,
		height: track?.height ?? 0,
	}
}

async function fetchWhole({ segments, url }: Stream): Promise<Buffer> {
	const init = segments[0]?.listed.init?.uri
	const addresses = [...(init ? [new URL(init, url).href] : []), ...segments.map((segment) => segment.url)]
	const parts: Uint8Array[] = []
	for (const address of addresses) {
		const response = await fetch(address)
		if (!response.ok) throw new Error(`${address}: ${response.status}`)
		parts.push(await response.bytes())
	}
	return Buffer.concat(parts)
}
