/** The segments of a rung or an audio track, as players get them. */
export type PublishedStream = { initUri: string; segments: { uri: string; seconds: number }[] }

/** Reads a playlist that `writeMediaPlaylist` wrote. Returns null if it has no segments. */
export function readMediaPlaylist(text: string, folder: string): PublishedStream | null {
	const init = /^#EXT-X-MAP:URI="([^"]+)"$/m.exec(text)?.[1]
	const segments = [...text.matchAll(/^#EXTINF:([\d.]+),\n([^#\n]+)$/gm)].map(([, seconds, uri]) => ({
		uri: `${folder}${uri}`,
		seconds: Number(seconds),
	}))
	return init === undefined || segments.length === 0 ? null : { initUri: `${folder}${init}`, segments }
}
