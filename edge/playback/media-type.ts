const types: Record<string, string> = {
	m3u8: 'application/vnd.apple.mpegurl',
	m4s: 'video/iso.segment',
	mp4: 'video/mp4',
	m4a: 'audio/mp4',
	ts: 'video/mp2t',
	vtt: 'text/vtt; charset=utf-8',
	srt: 'application/x-subrip; charset=utf-8',
	json: 'application/json',
	jpg: 'image/jpeg',
	png: 'image/png',
	webp: 'image/webp',
}

const texts = ['m3u8', 'vtt', 'srt', 'json']

/** How a file is delivered, by the end of its name; null for what no player asks for. */
export function deliveryOf(path: string): { contentType: string; isText: boolean; lifetime: string } | null {
	const extension = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? ''
	const contentType = types[extension]
	if (!contentType) return null
	return {
		contentType,
		isText: texts.includes(extension),
		// Text may be made anew under its name; a segment or picture never is.
		lifetime: texts.includes(extension) ? 'max-age=60' : 'max-age=31536000, immutable',
	}
}
