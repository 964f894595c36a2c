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

const textExtensions = ['m3u8', 'vtt', 'srt', 'json']

/** Returns how to deliver a file by its extension, or null for a type that players never request. */
export function chooseMediaDelivery(
	path: string,
): { contentType: string; isText: boolean; lifetime: string } | null {
	const extension = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? ''
	const contentType = types[extension]
	if (!contentType) return null
	return {
		contentType,
		isText: textExtensions.includes(extension),
		// A text file may change under its name; a segment or an image never does.
		lifetime: textExtensions.includes(extension) ? 'max-age=60' : 'max-age=31536000, immutable',
	}
}
