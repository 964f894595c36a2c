import { MAX_PIXELS } from '#schema/contract/video/media-info.ts'

/**
 * Accepted containers, as names of ffmpeg's demuxers. Playlists, scripts and image lists are excluded: they refer to
 * other files and URLs, which ffmpeg would open whatever the file is called.
 */
const CONTAINERS = [
	'mov',
	'matroska',
	'webm',
	'mpegts',
	'mpeg',
	'avi',
	'flv',
	'asf',
	'mp3',
	'aac',
	'ogg',
	'wav',
	'flac',
] as const

export const MAX_STREAMS = 64

/**
 * Keeps the timestamps of containers without an index. Otherwise ffmpeg shifts them to the first stream in use, and
 * separately read video and audio lose sync.
 */
export const buildClockArgs = ({ clockSec }: { clockSec: number | null }): string[] =>
	clockSec === null ? [] : ['-copyts']

/**
 * Returns the input arguments of every program that opens a source: a local file in an accepted container of limited
 * size.
 */
export const buildInputArgs = (path: string): string[] => [
	...['-protocol_whitelist', 'file', '-format_whitelist', CONTAINERS.join(',')],
	...['-max_streams', String(MAX_STREAMS), '-max_pixels', String(MAX_PIXELS)],
	// The prefix prevents a name from being read as another protocol.
	...['-i', `file:${path}`],
]
