/** Up to this bitrate, the first segment loads quickly on most connections. */
const FIRST_VARIANT_BPS = 1_000_000

/** The codec that every browser decodes. */
const H264 = /^avc[13]\./

type Attributes = Record<string, string>

export type FirstPlaylists = {
	/** The largest H.264 rendition that loads quickly. */
	video: string | null
	/** The smallest H.264 rendition with the same audio. It is loaded before anybody plays. */
	lowest: string | null
	/** The default audio of both. */
	audio: string | null
}

/** Chooses the media playlists that a player needs first. */
export function listFirstPlaylists(master: string): FirstPlaylists {
	const lines = master.split('\n').map((line) => line.trim())
	const variants = lines.flatMap((line, at) => {
		if (!line.startsWith('#EXT-X-STREAM-INF:')) return []
		const attributes = attributesOf(line)
		const bitsPerSecond = Number(attributes['AVERAGE-BANDWIDTH'] ?? attributes.BANDWIDTH)
		return [{ uri: lines[at + 1] ?? '', attributes, bitsPerSecond }]
	})
	const decodable = variants.filter(({ attributes }) => {
		const codecs = attributes.CODECS?.split(',') ?? []
		return attributes.RESOLUTION === undefined || codecs.some((codec) => H264.test(codec))
	})
	const ascending = (decodable.length > 0 ? decodable : variants).toSorted(
		(a, b) => a.bitsPerSecond - b.bitsPerSecond,
	)
	const first = ascending.findLast(({ bitsPerSecond }) => bitsPerSecond <= FIRST_VARIANT_BPS) ?? ascending[0]
	const group = first?.attributes.AUDIO
	const tracks = lines
		.filter((line) => line.startsWith('#EXT-X-MEDIA:'))
		.map(attributesOf)
		.filter((track) => track.TYPE === 'AUDIO' && track['GROUP-ID'] === group)
	const track = tracks.find(({ DEFAULT }) => DEFAULT === 'YES') ?? tracks[0]
	const lowest = ascending.find(({ attributes }) => attributes.AUDIO === group)
	return { video: first?.uri ?? null, lowest: lowest?.uri ?? null, audio: track?.URI ?? null }
}

export const findInitSegment = (playlist: string): string | undefined =>
	/^#EXT-X-MAP:URI="([^"\n]+)"/m.exec(playlist)?.[1]

function attributesOf(line: string): Attributes {
	const list = line.slice(line.indexOf(':') + 1)
	return Object.fromEntries(
		[...list.matchAll(/(?<![A-Z0-9-])([A-Z0-9-]+)=("[^"]*"|[^",]*)/g)].map(([, name = '', value = '']) => [
			name,
			value.replace(/^"|"$/g, ''),
		]),
	)
}
