import type { TaskResultByKind } from '#schema/contract/video/tasks.ts'

/** Returns the HLS playlist of a clip: byte ranges of its one file. */
export function writeClipPlaylist({
	file,
	initBytes,
	timescale,
	segments,
}: Pick<TaskResultByKind<'clip'>, 'file' | 'initBytes' | 'timescale' | 'segments'>): string {
	const seconds = segments.map(({ ticks }) => ticks / timescale)
	let offset = initBytes
	const lines = segments.flatMap(({ bytes }, at) => {
		const range = `${bytes}@${offset}`
		offset += bytes
		return [`#EXTINF:${(seconds[at] ?? 0).toFixed(6)},`, `#EXT-X-BYTERANGE:${range}`, file.name]
	})
	return [
		'#EXTM3U',
		'#EXT-X-VERSION:7',
		`#EXT-X-TARGETDURATION:${Math.max(1, Math.round(Math.max(...seconds)))}`,
		'#EXT-X-PLAYLIST-TYPE:VOD',
		'#EXT-X-INDEPENDENT-SEGMENTS',
		`#EXT-X-MAP:URI="${file.name}",BYTERANGE="${initBytes}@0"`,
		...lines,
		'#EXT-X-ENDLIST',
		'',
	].join('\n')
}
