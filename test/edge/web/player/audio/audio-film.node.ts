import type { Presentation } from '../player-media.node.ts'

/** The columns of an asset that is audio without video. */
export const AUDIO_COLUMNS = { width: null, height: null, storyboard_key: null, frame_key: null }

/** Returns the audio of a film as the product presents audio without video. */
export function withoutVideo(film: Presentation, peaks?: readonly number[]): Presentation {
	const master = `#EXTM3U
#EXT-X-VERSION:7
#EXT-X-STREAM-INF:BANDWIDTH=140000,AVERAGE-BANDWIDTH=130000,CODECS="mp4a.40.2"
a0.m3u8
`
	return new Map([
		...[...film].filter(([name]) => name === 'a0.m3u8' || name.includes('/a0/')),
		['master.m3u8', Buffer.from(master)],
		...(peaks ? [['peaks.json', Buffer.from(JSON.stringify({ peaks }))] as const] : []),
	])
}

/** Words with pauses between them. */
export const SPOKEN_PEAKS = Array.from({ length: 400 }, (_, at) =>
	Math.round(255 * Math.abs(Math.sin(at / 3) * Math.sin(at / 41)) ** 0.7),
)
